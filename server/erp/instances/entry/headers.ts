import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What passes between a browser and an Odoo, and what does not. */

/**
 * Names the visit. It never reaches Odoo, which runs what agents write. By https, browsers take a
 * cookie with this prefix from its own host alone: the page of another instance could otherwise set
 * one for the domain of both, and shut people out.
 */
const NAME = 'guildhall_visit';
export const cookieName = (secure: boolean): string => (secure ? `__Host-${NAME}` : NAME);

const OF_ONE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const cookiesIn = (header: string | undefined): string[] =>
  (header ?? '').split(';').flatMap((each) => each.trim() || []);

const nameOf = (cookie: string): string => cookie.split('=', 1)[0]?.trim() ?? '';
const isOwn = (cookie: string): boolean =>
  [cookieName(true), cookieName(false)].includes(nameOf(cookie));

export function cookieOf(header: string | undefined, secure: boolean): string | undefined {
  const name = cookieName(secure);
  const own = cookiesIn(header).find((each) => nameOf(each) === name);
  return own?.slice(name.length + 1);
}

export function requestHeaders(
  { headers }: Pick<IncomingMessage, 'headers'>,
  secure: boolean,
): IncomingHttpHeaders {
  const { cookie, ...rest } = headers;
  const kept = cookiesIn(cookie).filter((each) => !isOwn(each));
  const passed = Object.entries(rest).filter(([name]) => !OF_ONE_CONNECTION.includes(name));
  return {
    ...Object.fromEntries(passed),
    ...(kept.length > 0 && { cookie: kept.join('; ') }),
    // Without it, Node.js writes the body of a GET, HEAD, DELETE or OPTIONS as it is, and Odoo reads
    // it as the next request.
    ...(headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
    'x-forwarded-proto': secure ? 'https' : 'http',
  };
}

/** Cookies of an Odoo, for its own host: another one of the same domain gets none, and none is ours. */
export const ownCookies = (cookies: readonly string[]): string[] =>
  cookies
    .filter((each) => !isOwn(each))
    .map((each) => each.replaceAll(/;\s*domain\s*=[^;]*/gi, ''));

export function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    OF_ONE_CONNECTION.includes(name) || value === undefined ? [] : [[name, value] as const],
  );
  const cookies = ownCookies(headers['set-cookie'] ?? []);
  return { ...Object.fromEntries(passed), 'set-cookie': cookies };
}
