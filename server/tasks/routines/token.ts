import { hash, randomBytes } from 'node:crypto';

const FORM = /^gldr_[0-9A-Za-z_-]{43}$/;

/** A new token that calls a routine. It is shown once and never stored. */
export const newToken = (): string => `gldr_${randomBytes(32).toString('base64url')}`;

/** SHA-256 of a well-formed token; undefined otherwise, so that a mistyped one costs no query. */
export const hashToken = (token: string): Buffer | undefined =>
  FORM.test(token) ? hash('sha256', token, 'buffer') : undefined;
