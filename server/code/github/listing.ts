import Type from 'typebox';
import { apiError } from '../../http/errors.ts';
import { text } from '../../http/input/fields.ts';
import { decodeCursor, pages } from '../../http/paging.ts';
import { createTransfers, type Transfers } from '../../http/transfers.ts';
import type { GitHub } from './app.ts';

/** What the operations share that list something of GitHub. */

/** Too many requests wait for GitHub, of all callers or of this one. */
export const githubBusy = apiError(
  503,
  'github_busy',
  'Too many requests wait for GitHub, or too many of yours: wait until one is done, then try again',
  { 'retry-after': '5' },
);

type GithubTransfers = Pick<Transfers, 'run'>;

/** What may wait for GitHub at once in a process. */
export const openGithubTransfers = (): GithubTransfers =>
  createTransfers(githubBusy, { limit: 64, perUser: 4 });

/** What the operations are given that list something of GitHub. */
export interface GithubServices {
  github: GitHub | undefined;
  githubTransfers: GithubTransfers;
}

export const githubQuery = (description: string) =>
  Type.Object({ q: Type.Optional(text({ minLength: 1, maxLength: 200, description })), ...pages });

export const contains = (name: string, part: string | undefined): boolean =>
  part === undefined || name.toLowerCase().includes(part.toLowerCase());

/** Where a page begins in what GitHub lists. Errors: 422 cursor_invalid. */
export const offsetOf = (cursor: string | undefined): number =>
  Number(decodeCursor(cursor, [/^\d{1,7}$/])?.[0] ?? 0);
