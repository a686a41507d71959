import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { TopUps } from './top-ups.ts';

/**
 * What one round of checks found. `late`: top-ups still open after the last check of the schedule,
 * which a person should look at. `others`: open ones of another card processor, which only that one
 * can end.
 */
export interface ReconcileReport {
  checked: number;
  settled: number;
  failed: number;
  open: number;
  late: number;
  others: number;
}

export const NOTHING_CHECKED: ReconcileReport = {
  checked: 0,
  settled: 0,
  failed: 0,
  open: 0,
  late: 0,
  others: 0,
};

const BATCH = 20;

/**
 * Checks every top-up that is due. Any number of processes may do so at once.
 *
 * This ends the open top-ups that the request which began them could not end: after a crash, a lost
 * answer, or an outage of the processor. Each is checked by `schedule` (milliseconds after its
 * creation, ascending). A check at or past the last time cancels it, and what the processor says
 * then is final. What counts is the top-up's age, not its number of checks, because no one expects
 * an old charge after days without a server. One that is open even then is checked again every
 * hour. A charge that its cardholder has to confirm is ended when their time is over.
 */
export async function reconcile(
  db: Database,
  topUps: TopUps,
  schedule: readonly number[],
): Promise<ReconcileReport> {
  const total = { ...NOTHING_CHECKED };
  for (;;) {
    const due = await takeDue(db, topUps.processor, schedule);
    for (const { id, last } of due) {
      const { kind } = await (last ? topUps.cancelAndSettle(id) : topUps.advance(id));
      total.checked++;
      if (kind === 'settled') total.settled++;
      else if (kind === 'open') total.open++;
      else total.failed++;
      if (last && kind === 'open') total.late++;
    }
    if (due.length < BATCH) return { ...total, others: await countOthers(db, topUps.processor) };
  }
}

// The next check is stored before this one is made, so that a process that dies here only costs one
// interval.
const takeDue = (db: Database, processor: TopUps['processor'], schedule: readonly number[]) =>
  db.many<{ id: string; last: boolean }>(sql`
    with due as (
      select id, (select until from attended_top_up where top_up_id = top_up.id) as until
        from top_up
       where status in ('created', 'processing') and processor = ${processor}
         and next_check_at <= now()
       order by next_check_at limit ${BATCH} for update skip locked)
    update top_up t
       set checks = checks + 1,
           next_check_at = least(case when due.until > now() then due.until end, coalesce(
             (select min(t.created_at + after * interval '1 millisecond')
               from unnest(${schedule}::bigint[]) after
               where t.created_at + after * interval '1 millisecond' > now()),
                 now() + interval '1 hour'))
      from due where due.id = t.id
    returning t.id,
              t.created_at + ${schedule.at(-1) ?? 0}::bigint * interval '1 millisecond' <= now()
                or coalesce(due.until <= now(), false) as last`);

const countOthers = async (db: Database, processor: TopUps['processor']): Promise<number> => {
  const { count } = await db.one<{ count: bigint }>(sql`
    select count(*) from top_up where status in ('created', 'processing')
      and processor <> ${processor}`);
  return Number(count);
};
