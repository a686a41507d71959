import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { TopUps } from './top-ups.ts';

/**
 * The result of one round. `late`: top-ups still open after the whole schedule, which a person
 * should look at. `others`: open ones of another card processor, which only that one can end.
 */
export interface Round {
  checked: number;
  settled: number;
  failed: number;
  open: number;
  late: number;
  others: number;
}

const BATCH = 20;

/**
 * Checks every top-up that is due; safe in any number of processes at once.
 *
 * Ends open top-ups when the request that began them could not: after a crash, a lost answer, or
 * while the processor was unavailable. Each is checked by `schedule` (increasing milliseconds after
 * its start). A check at or after the last time cancels it, and the processor's answer is final.
 * What counts is its age, not its number of checks, because no one expects a charge after days
 * without a server. A top-up that is open even then is checked every hour.
 */
export async function reconcile(
  db: Database,
  topUps: TopUps,
  schedule: readonly number[],
): Promise<Round> {
  const total: Round = { checked: 0, settled: 0, failed: 0, open: 0, late: 0, others: 0 };
  for (;;) {
    const due = await takeDue(db, topUps.processor, schedule);
    for (const { id, last } of due) {
      const { kind } = await (last ? topUps.fence(id) : topUps.drive(id));
      total.checked++;
      if (kind === 'settled') total.settled++;
      else if (kind === 'open') total.open++;
      else total.failed++;
      if (last && kind === 'open') total.late++;
    }
    if (due.length < BATCH) return { ...total, others: await countOthers(db, topUps.processor) };
  }
}

// The next check is recorded before this one is made, so a process that dies here only causes a
// delay.
const takeDue = (db: Database, processor: TopUps['processor'], schedule: readonly number[]) =>
  db.many<{ id: string; last: boolean }>(sql`
    with due as (
      select id from top_up
       where status in ('created', 'processing') and processor = ${processor} and next_check_at <= now()
       order by next_check_at limit ${BATCH} for update skip locked)
    update top_up t
       set checks = checks + 1,
           next_check_at = coalesce(
             (select min(t.created_at + after * interval '1 millisecond') from unnest(${schedule}::bigint[]) after
               where t.created_at + after * interval '1 millisecond' > now()), now() + interval '1 hour')
      from due where due.id = t.id
    returning t.id, t.created_at + ${schedule.at(-1) ?? 0}::bigint * interval '1 millisecond' <= now() as last`);

const countOthers = async (db: Database, processor: TopUps['processor']): Promise<number> => {
  const { count } = await db.one<{ count: bigint }>(sql`
    select count(*) from top_up where status in ('created', 'processing') and processor <> ${processor}`);
  return Number(count);
};
