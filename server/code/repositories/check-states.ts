import { type Sql, sql } from '../../db/sql.ts';

/** As GitHub has them. */
export const CHECK_STATES = ['queued', 'in_progress', 'completed'] as const;
export const CHECK_CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
  'stale',
  'startup_failure',
] as const;

/** Those that do not stand in the way of a merge. */
export const PASSING: readonly (string | null)[] = ['success', 'neutral', 'skipped'];

/** SQL: whether a row of `check_run` does not stand in the way of a merge. False until it has ended. */
export const hasPassed = (row: Sql): Sql =>
  sql`coalesce(${row}.conclusion in ('success', 'neutral', 'skipped'), false)`;
