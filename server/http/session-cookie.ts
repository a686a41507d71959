import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie of a session. Browsers send the `__Host-` one only over HTTPS, and to no other host.
 */
const sessionCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-guildhall' : 'guildhall';

/** How long a proof of who one is lasts, in minutes. */
export const PROOF_MINUTES = 10;

/** How long the session of a browser lasts, in days; using it does not extend it. */
export const SESSION_DAYS = 14;

/** The Set-Cookie header that gives a browser its session, or ends it there for a token of ''. */
export const setSessionCookie = (publicUrl: string, token: string): string => {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const age = token === '' ? 0 : SESSION_DAYS * 86_400;
  return `${sessionCookie(publicUrl)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
};

/** The SHA-256 of the token in the session's cookie, if there is one. */
export function sessionHash(headers: IncomingHttpHeaders, publicUrl: string): Buffer | undefined {
  const token = cookieNamed(sessionCookie(publicUrl), headers.cookie);
  return token === undefined ? undefined : hash('sha256', token, 'buffer');
}

/**
 * The value of a cookie that is a token. A repeated cookie counts as none: another site of the same
 * domain may have set one of the two.
 */
export function cookieNamed(name: string, header = ''): string | undefined {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && /^[\w-]{43}$/.test(values[0] as string) ? values[0] : undefined;
}

/**
 * Whether a page of this server made the browser send this change. Browsers omit Sec-Fetch-Site on
 * plain HTTP to local names, but always send Origin with a change. On a local network a server has
 * several names and addresses, each with its own cookies: there, the host that the browser asked may
 * be any of them, as long as its page has the same one.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin: from, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  const { origin, protocol } = new URL(publicUrl);
  const asked = protocol === 'http:' && host !== undefined ? `http://${host}` : origin;
  return from === origin || from === asked;
}
