import { createHmac, createSecretKey, hash } from 'node:crypto';
import { hashOf, newToken } from '../sign-in/session.ts';

/** How long an access token works, in seconds. */
export const ACCESS_SECONDS = 3600;
/** How long a connection stays that nobody uses, in days. */
export const REFRESH_DAYS = 30;
/** How long a code waits to be redeemed, in seconds. */
export const CODE_SECONDS = 60;
/** How long the refresh token before the current one gets the same answer again, in seconds. */
export const REPEAT_SECONDS = 30;

/** The tokens of an application, which are shown once: an access token and a refresh token. */
export interface Tokens {
  access: string;
  refresh: string;
}

export const newCode = (): string => `glc_${newToken()}`;

const part = (text: string): string => text.slice(4, 47);

/** The first tokens of a connection. */
export const firstTokens = (): Tokens => ({
  access: `glo_${newToken()}`,
  refresh: `glr_${newToken()}${newToken()}`,
});

/**
 * The tokens that follow on a refresh token. They are made from it and the server's secret, so that
 * who asks again gets the same ones, although no table has them.
 */
export type NextTokens = (refresh: string) => Tokens;

export function nextTokens(serverSecret: string): NextTokens {
  const secret = createSecretKey(serverSecret, 'utf8');
  const derived = (kind: string, refresh: string) =>
    createHmac('sha256', secret).update(`oauth-${kind}:${refresh}`).digest('base64url');
  return (refresh) => ({
    access: `glo_${derived('access', refresh)}`,
    refresh: `glr_${part(refresh)}${derived('refresh', refresh)}`,
  });
}

/** The SHA-256 of a well-formed token, or undefined, so that anything else costs no query. */
const hashed =
  (form: RegExp) =>
  (token: string): Buffer | undefined =>
    form.test(token) ? hash('sha256', token, 'buffer') : undefined;

export const hashAccessToken = hashed(/^glo_[\w-]{43}$/);
export const hashRefreshToken = hashed(/^glr_[\w-]{86}$/);
export const hashCode = hashed(/^glc_[\w-]{43}$/);

/** Of the part that all refresh tokens of one connection share. */
export const familyOf = (refresh: string): Buffer => hashOf(part(refresh));
