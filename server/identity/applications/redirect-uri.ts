import { isLoopback } from './oauth-address.ts';

const LONGEST = 500;

/**
 * Schemes of programs that belong to no domain, and that are known to register them. Any other must
 * have a dot in it, as RFC 8252 asks; no scheme that a browser opens itself has one.
 */
const KNOWN_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

/**
 * Whether an application may be sent codes at this address: by HTTPS, to a port of the person's own
 * machine, or to a program that has registered a scheme with their system.
 */
export function isUsableRedirect(uri: string): boolean {
  if (uri.length > LONGEST || !/^[\x21-\x7e]+$/.test(uri) || /[#\\]/.test(uri)) return false;
  // Without them, a browser would take the address for a path of the page that it is on.
  if (/^https?:(?!\/\/)/i.test(uri)) return false;
  const url = URL.parse(uri);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return isLoopback(url.host);
  return url.protocol.includes('.') || KNOWN_SCHEMES.has(url.protocol);
}

/**
 * Whether an address is one of those that were registered: the same text, but for the port of the
 * person's own machine, which a program gets from its system each time (RFC 8252, 7.3).
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  isUsableRedirect(uri) &&
  registered.some((known) => known === uri || withoutPort(known) === withoutPort(uri));

/** The text itself, unless it is on this machine: then without its port. */
const withoutPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, '$1');

/** What a person is told of where they are sent: the host, or the scheme of a program. */
export function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return host;
  return protocol === 'http:'
    ? `${host} (a program on your computer)`
    : `${protocol}// (a program on your computer)`;
}

/** The address with these parameters added to those that it has. */
export function withParameters(
  uri: string,
  parameters: Record<string, string | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.append(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
}
