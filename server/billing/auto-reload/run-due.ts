import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { TopUpLimits } from '../top-ups/top-up.ts';
import type { TopUps } from '../top-ups/top-ups.ts';
import { chargeIfDue } from './charge-if-due.ts';
import { autoReloads, isDue, isRunning } from './eligibility.ts';

/** What one run did: the accounts that were checked, and the charges that were begun. */
interface AutoReloadRun {
  checked: number;
  charged: number;
}

const BATCH = 20;

/**
 * Checks the accounts whose auto-reload was just switched on or changed, or whose card's person may
 * have lost the right (`check_auto_reload` of the database), every account that is due, and each
 * enabled one once a day, because its card may be gone. Any number of
 * processes may run it. What fails is left to a later run and reported after the other accounts are
 * done.
 */
export async function runDueAutoReloads(
  db: Database,
  topUps: TopUps,
  limits: TopUpLimits,
): Promise<AutoReloadRun> {
  const total: AutoReloadRun = { checked: 0, charged: 0 };
  const errors: unknown[] = [];
  for (;;) {
    const [requested, due] = [await takeRequested(db), await takeDue(db, limits)];
    const accounts = new Set([...requested, ...due].map(({ account_id }) => account_id));
    const done = await Promise.allSettled(
      [...accounts].map((accountId) => chargeIfDue(db, topUps, limits, accountId)),
    );
    total.checked += accounts.size;
    for (const each of done) {
      if (each.status === 'rejected') errors.push(each.reason);
      else if (each.value !== undefined) total.charged++;
    }
    if (requested.length < BATCH && due.length < BATCH) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, 'auto-reload failed for some accounts');
  return total;
}

const takeRequested = (db: Database) =>
  db.many<{ account_id: string }>(sql`
    delete from outbox where id in (
      select id from outbox where topic = 'auto_reload_due' and done_at is null
       order by created_at limit ${BATCH} for update skip locked)
    returning payload ->> 'account_id' as account_id`);

// A crash before the check costs a few seconds: the account is still due afterwards.
const takeDue = (db: Database, limits: TopUpLimits) =>
  db.many<{ account_id: string }>(sql`
    with due as (
      select r.account_id from ${autoReloads}
       where ${isRunning} and r.looked_at < now() - interval '10 seconds'
         -- This condition comes first, so that charges are only summed up for low accounts.
         and (r.looked_at < now() - interval '1 day' or a.balance - a.held < r.threshold)
         and (r.looked_at < now() - interval '1 day' or ${isDue(limits)})
       order by r.looked_at limit ${BATCH} for update of r skip locked)
    update auto_reload r set looked_at = now()
      from due where r.account_id = due.account_id returning r.account_id`);
