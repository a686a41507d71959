import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { TopUps } from './top-ups.ts';

/** What one round did. `late`: top-ups that are open past the whole schedule, for a person to look at. */
export interface Round {
  checked: number;
  settled: number;
  failed: number;
  open: number;
  late: number;
}

const BATCH = 20;

/**
 * Checks every top-up that is due; safe in any number of processes at once.
 *
 * Brings open top-ups to their end when the request that began them could not: after a crash, a lost answer, a
 * processor that was away. Each is checked by `schedule` (milliseconds after its making, rising); at the last check it is
 * fenced: cancelled, and whatever the processor says then is final. What is open even after that stays due every hour.
 */
export async function reconcile(db: Database, topUps: TopUps, schedule: readonly number[]): Promise<Round> {
  const total: Round = { checked: 0, settled: 0, failed: 0, open: 0, late: 0 };
  for (;;) {
    const due = await takeDue(db, schedule);
    for (const { id, last, late } of due) {
      const { kind } = await (last ? topUps.fence(id) : topUps.drive(id));
      total.checked++;
      if (kind === 'settled') total.settled++;
      else if (kind === 'open') total.open++;
      else total.failed++;
      if (late && kind === 'open') total.late++;
    }
    if (due.length < BATCH) return total;
  }
}

// The next check is written before this one is made: a process that dies here costs one interval, nothing else.
const takeDue = (db: Database, schedule: readonly number[]) =>
  db.many<{ id: string; last: boolean; late: boolean }>(sql`
    with due as (
      select id, checks from top_up
       where status in ('created', 'processing') and next_check_at <= now()
       order by next_check_at limit ${BATCH} for update skip locked)
    update top_up t
       set checks = due.checks + 1,
           next_check_at = greatest(now() + interval '1 second', coalesce(
             t.created_at + (${schedule}::bigint[])[due.checks + 2] * interval '1 millisecond', now() + interval '1 hour'))
      from due where due.id = t.id
    returning t.id, due.checks + 1 >= cardinality(${schedule}::bigint[]) as last,
              due.checks + 1 > cardinality(${schedule}::bigint[]) as late`);
