import { hash } from 'node:crypto';

/** What attempts on an address are counted by: the store of limits does not learn addresses. */
export const accountKey = (email: string): string =>
  hash('sha256', email.toLowerCase(), 'base64url');
