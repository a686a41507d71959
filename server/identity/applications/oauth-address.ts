/** A host that is this machine, with or without a port. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/**
 * The address of this server as applications connect to it, which is its issuer; undefined where it
 * offers no OAuth. That needs HTTPS, because tokens pass in the clear otherwise, or that client and
 * server are one machine: there a server has several names, and that which was asked is meant.
 */
export function oauthAddress(publicUrl: string, host: string | undefined): string | undefined {
  const { protocol, host: own } = new URL(publicUrl);
  if (protocol === 'https:') return publicUrl;
  return isLoopback(own) && host !== undefined && isLoopback(host) ? `http://${host}` : undefined;
}

/** What tokens are for, and all that they open (RFC 8707). */
export const resourceAt = (address: string): string => `${address}/mcp`;

export const SCOPES = ['read', 'write'] as const;
