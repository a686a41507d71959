import { constants } from 'node:os';
import { inspect } from 'node:util';
import {
  DatabaseUnavailable,
  reasonOf,
  refusesLogin,
  sqlState,
} from '../server/db/database/database.ts';
import { Signalled } from '../server/main/until.ts';
import { ConfigError } from '../server/platform/config/config.ts';

/** What stops a command: a sentence for people that says what to do next. */
export class Failure extends Error {}

/** The exit code of a command that cannot begin: an invalid configuration or argument. */
export const UNUSABLE = 2;

/** As a shell reports it, 128 and the number of the signal, when a signal ended a start. */
export function exitCode(error: unknown): number {
  if (error instanceof Signalled) return 128 + constants.signals[error.signal];
  return error instanceof ConfigError ? UNUSABLE : 1;
}

/** An error as users should read it; with `debug`, also as developers should. */
export function explain(error: unknown, debug: boolean): string {
  const sentence = sentenceOf(error);
  return debug ? `${sentence}\n${inspect(error)}` : sentence;
}

function sentenceOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable)
    return refusesLogin(error.cause) || sqlState(error.cause) === READ_ONLY
      ? databaseSentence(error.cause as Error)
      : unreachable(error.cause);
  if (sqlState(error) !== '') return databaseSentence(error as Error);
  if (error instanceof Error && error.message === NOT_ENCRYPTED)
    return (
      `PostgreSQL offers no encryption (${NOT_ENCRYPTED}), and DATABASE_URL asks for it: set ssl = on in ` +
      'postgresql.conf, or take sslmode out of DATABASE_URL where nobody can listen on the way.'
    );
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number };
  switch (code) {
    case 'EADDRINUSE':
      return (
        `Port ${port} is in use: stop the other server or choose another PORT; ` +
        'PORT=0 picks a free one.'
      );
    case 'EACCES':
    case 'EPERM':
      return path === undefined
        ? `Port ${port ?? ''} cannot be opened by this user: choose a PORT above 1023.`
        : `${path} cannot be used by this user: change its permissions or choose another DATA_DIR.`;
    case 'ENOSPC':
      return 'The disk is full: free some of it, then run this again.';
    case 'EADDRNOTAVAIL':
      return 'This machine does not have that address: check HOST.';
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ECONNRESET':
      return unreachable(error);
    default:
      return error instanceof Error && error.message !== '' ? error.message : String(error);
  }
}

/** The words of `pg`, whose error has no code. */
const NOT_ENCRYPTED = 'The server does not support SSL connections';

const READ_ONLY = '25006';

function databaseSentence(error: Error): string {
  switch (sqlState(error)) {
    case '28P01':
    case '28000':
      return (
        `PostgreSQL refuses the login (${error.message}): ` +
        'check the user and password in DATABASE_URL.'
      );
    case '53300':
      return (
        `PostgreSQL has no connection left (${error.message}): end what uses them, raise its ` +
        'max_connections, or lower DATABASE_POOL_SIZE.'
      );
    case '57P03':
      return `PostgreSQL accepts no connection (${error.message}): try again when it does.`;
    case '3D000':
      return `PostgreSQL has no such database (${error.message}): create it, or check DATABASE_URL.`;
    case READ_ONLY:
      return (
        `PostgreSQL takes no writes (${error.message}): DATABASE_URL must lead to the primary, and ` +
        'default_transaction_read_only be off.'
      );
    case '42501':
      return (
        `PostgreSQL denied permission (${error.message}): ` +
        "DATABASE_URL must be the login of the schema's owner."
      );
    default:
      return `PostgreSQL reported an error: ${error.message}. Nothing was changed.`;
  }
}

function unreachable(cause: unknown): string {
  return (
    `PostgreSQL cannot be reached (${reasonOf(cause)}): ` +
    'check that it is running, and check DATABASE_URL.'
  );
}
