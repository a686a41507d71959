import { hash } from 'node:crypto';

/** What attempts on an address are counted by: the store of limits does not learn addresses. */
export const accountKey = (email: string): string =>
  hash('sha256', Array.from(email, lowerCase).join(''), 'base64url');

/**
 * One letter in lower case, as PostgreSQL has it, which looks at each letter alone. For a whole text
 * JavaScript differs: it makes two characters of a capital I with a dot, and another sigma at the
 * end of a word. Each spelling that opens the same account would have its own attempts.
 */
const lowerCase = (letter: string): string =>
  String.fromCodePoint(letter.toLowerCase().codePointAt(0) as number);
