import { isIP } from 'node:net';

/**
 * What a list of hosts holds: `host` and `*.host` for the ports 443 and 80, `host:port` and
 * `*.host:port` for one port. `*.host` is every name below the host, and not the host itself.
 */

/** A host as `URL` writes it: lower case, IDNA, IPv6 in brackets. */
export interface Endpoint {
  host: string;
  port: number;
}

/** What a pattern without a port stands for. */
export const ORDINARY_PORTS: readonly number[] = [443, 80];

/** Characters of the longest pattern: a name of 253, `*.` and a port. */
export const LONGEST_PATTERN = 261;

const AUTHORITY = /^(\[[\da-f:.]{2,45}\]|[^\s:/?#@\\%[\]]{1,253})(?::(\d{1,5}))?$/i;
const NAME =
  /^(?!.{254})[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*$/;

/** Reads `host` or `host:port`. Undefined for what names no host. */
export function readAuthority(text: string): (Partial<Endpoint> & { host: string }) | undefined {
  const [, written = '', digits] = AUTHORITY.exec(text) ?? [];
  const hostname = written && URL.parse(`http://${written}/`)?.hostname.replace(/\.$/, '');
  if (!hostname || !(isAddress(hostname) || NAME.test(hostname))) return undefined;
  if (digits === undefined) return { host: hostname };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host: hostname, port } : undefined;
}

/** Whether a host of an endpoint is an IP address. */
export const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** The canonical spelling of a pattern. Undefined for what is none. */
export function readPattern(text: string): string | undefined {
  const wild = text.startsWith('*.');
  const found = readAuthority(wild ? text.slice(2) : text);
  if (found === undefined) return undefined;
  const { host, port } = found;
  // `*.com` is half of the internet, and an address has no names below it.
  if (wild && (isAddress(host) || !host.includes('.'))) return undefined;
  return `${wild ? '*.' : ''}${host}${port === undefined ? '' : `:${port}`}`;
}

/** The same for a list that is not the operator's: names, at the ports 443 and 80. */
export function readPublicPattern(text: string): string | undefined {
  const pattern = readPattern(text);
  const { host = '', port } = readAuthority(pattern?.replace(/^\*\./, '') ?? '') ?? {};
  if (host === '' || isAddress(host)) return undefined;
  return port === undefined || ORDINARY_PORTS.includes(port) ? pattern : undefined;
}

/** Whether one of these patterns, in their canonical spelling, stands for an endpoint. */
export function isListed(patterns: ReadonlySet<string>, { host, port }: Endpoint): boolean {
  const stands = (pattern: string) =>
    patterns.has(`${pattern}:${port}`) || (ORDINARY_PORTS.includes(port) && patterns.has(pattern));
  if (stands(host)) return true;
  if (isAddress(host)) return false;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1))
    if (stands(`*${host.slice(dot)}`)) return true;
  return false;
}
