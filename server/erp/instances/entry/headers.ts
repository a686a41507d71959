import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What passes between a browser and an Odoo, and what does not. */

/** Names the visit. It never reaches Odoo, which runs what agents write. */
export const COOKIE = 'guildhall_visit';

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

const isOwn = (cookie: string): boolean => cookie.split('=', 1)[0]?.trim() === COOKIE;

export const cookieOf = (header: string | undefined): string | undefined =>
  cookiesIn(header)
    .find(isOwn)
    ?.slice(COOKIE.length + 1);

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
