import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { pauseRoutine } from './pause-routine.ts';

/** So many failed runs in a row pause a routine. */
const MOST_FAILURES = 3;

/** Counts a failed run of a routine, and pauses it after three in a row. */
export async function countFailure(tx: Tx, routineId: string): Promise<void> {
  const counted = await tx.maybeOne<{ failures: number }>(sql`
    update routine set failures = failures + 1 where id = ${routineId} returning failures`);
  if (counted !== undefined && counted.failures >= MOST_FAILURES)
    await pauseRoutine(tx, routineId, 'failing');
}
