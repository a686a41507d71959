import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { TopUps } from './top-ups.ts';

/**
 * What one round did. `late`: top-ups that are open past the whole schedule, for a person to look at. `others`: open ones
 * of another card processor than this one, which only that one can bring to an end.
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
 * Brings open top-ups to their end when the request that began them could not: after a crash, a lost answer, a
 * processor that was away. Each is checked by `schedule` (milliseconds after its making, rising). A check at or past the
 * last time fences it: cancelled, and whatever the processor says then is final. It is the age that counts, not how
 * often it was checked: after days without a server nobody expects a charge any more. What is open even then stays due
 * every hour.
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

// The next check is written before this one is made: a process that dies here costs one interval, nothing else.
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
