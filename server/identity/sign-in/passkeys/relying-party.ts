import { isIP } from 'node:net';

/** Who passkeys are for: `id` is the host of this server, and `origin` that of its pages. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/**
 * The relying party at this address. Undefined where browsers offer no passkeys: an IP address is
 * not a domain (WebAuthn, 5.1.2), and plain HTTP is no secure context except on localhost.
 */
export function relyingParty(publicUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  return protocol === 'https:' || isLocal ? { id: hostname, origin } : undefined;
}
