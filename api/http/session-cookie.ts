import type { IncomingHttpHeaders } from 'node:http';

/**
 * The cookie of a session. Browsers send the `__Host-` one only over HTTPS, and to no other host.
 */
export const sessionCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-guildhall' : 'guildhall';

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
 * plain HTTP to local names, but always send Origin with a change.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
}
