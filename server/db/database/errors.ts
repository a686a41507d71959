import pg from 'pg';

/**
 * PostgreSQL cannot be reached, refuses the login, is restarting, full, read-only or too busy. The
 * work was not done, or it was rolled back. There is one exception: when the answer to a commit is
 * lost, its outcome is unknown, but it is all or nothing. Answered as 503. The message is for the
 * log.
 */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(refusesLogin(cause) ? LOGIN_REFUSED : 'the database is unavailable', { cause });
  }
}

// Unlike other trouble this does not pass by itself.
const LOGIN_REFUSED =
  'PostgreSQL refuses the login in DATABASE_URL: give that its new password and start again, ' +
  'or give it its right back';

/** The SQLSTATE of a PostgreSQL error, or ''. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The constraint or unique index that refused a statement, or ''. */
export function violatedConstraint(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : '';
}

/** What a row refers to is not there, or not any more. */
export const REFERENCE_MISSING = '23503';

/**
 * The login itself is refused: an unknown or changed password (28P01), or it may not log in
 * (28000).
 */
export const refusesLogin = (error: unknown): boolean =>
  ['28P01', '28000'].includes(sqlState(error));

/** A lock was not granted within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * A write in a read-only transaction: on a standby during a fail-over, or on a connection that may
 * only read.
 */
export const READ_ONLY = '25006';

/**
 * PostgreSQL chose the statement as the victim of a conflict: nothing of it happened, so it may run
 * again.
 */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error));

// 08 connection · 28 the login is refused · 25P03 idle in its transaction · 53 out of disk or other
// resources · 57 operator intervention and time-outs · 58 the system beneath · 40 still conflicting
// after the last retry.
const UNAVAILABLE_STATE = /^(08|28|53|57|58)|^(25006|25P03|55P03|40001|40P01)$/;
const UNAVAILABLE_MESSAGE = /connection|not queryable|Client was closed|timeout/i;

// The connection ends with these; or it leads to a server that takes no writes any more, and a new
// one may lead to that one's successor.
const LOST_STATE = /^(08|57P)|^(25006|25P03)$/;

/** Whether the connection that an error came from can no longer be used. */
export const isLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? LOST_STATE.test(error.code ?? '') : isUnavailable(error);

/**
 * Whether an error says that PostgreSQL cannot do the work now, rather than that the work is wrong.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined)
    return /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code);
  return error.constructor === Error && UNAVAILABLE_MESSAGE.test(error.message);
}

/** An error in the words of the machine: of several addresses that were tried, the first says enough. */
export function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
