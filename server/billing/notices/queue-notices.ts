import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { mayBeWarned } from '../spend-limits/recipients.ts';

/**
 * Queues the mails about automatic charges that failed, and about balances that fell below their
 * threshold, which the transactions of both have written to the outbox. To each person who wants
 * warnings about this balance, once. Any number of processes may do so: the statement that takes a
 * message also queues its mails. Returns how many were taken.
 *
 * Where auto-reload is about to fill the balance up, its mail waits until that has had time, and is
 * obsolete then.
 */
async function queueNotices(db: Pick<Tx, 'one'>, most = 100): Promise<number> {
  const { taken } = await db.one<{ taken: number }>(sql`
    with taken as (
      delete from outbox where id in (
        select id from outbox
         where topic in ('auto_reload_failed', 'low_balance') and done_at is null
         order by created_at limit ${most} for update skip locked)
      returning topic as kind, key, (payload ->> 'account_id')::uuid as account_id,
                (payload ->> 'threshold')::bigint as threshold),
    noted as (
      insert into billing_notice (kind, user_id, account_id, occasion, top_up_id, threshold)
      select taken.kind, u.id, a.id, taken.key,
             case taken.kind when 'auto_reload_failed' then taken.key::uuid end, taken.threshold
        from taken
        join billing_account a on a.id = taken.account_id and a.status <> 'closed'
        join app_user u on ${mayBeWarned}
      on conflict on constraint billing_notice_once do nothing
      returning id, kind, user_id, account_id),
    mailed as (
      insert into mail (kind, recipient, subject_id, next_attempt_at)
      select 'billing_notice', u.email, noted.id,
             now() + case when noted.kind = 'low_balance' and r.account_id is not null
                          then interval '2 minutes' else interval '0' end
        from noted
        join app_user u on u.id = noted.user_id
        left join auto_reload r
          on r.account_id = noted.account_id and r.enabled and r.paused_reason is null)
    select count(*)::integer as taken from taken`);
  return taken;
}

/** The same until nothing is left that is due. */
export async function queueAllNotices(db: Pick<Tx, 'one'>): Promise<number> {
  for (let total = 0; ; ) {
    const taken = await queueNotices(db, MOST);
    total += taken;
    if (taken < MOST) return total;
  }
}

const MOST = 100;
