import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { monthBegins, spentUnder } from '../ledger/spend-limits.ts';
import { mayBeWarned } from './recipients.ts';

/**
 * Mails the people behind a balance that a limit of this month is four fifths spent, or all of it.
 * A limit with another amount is another limit; one that was removed and added again as it was is
 * the same one. Of what happened between two calls only the last is mailed. Any number of processes
 * may call it at once: a limit is marked in the statement that queues its mail.
 *
 * A call takes `most` limits after the one where the last call stopped. `next` is where the next one
 * goes on, undefined when it begins anew.
 */
export async function warnOfLimits(
  db: Pick<Tx, 'many'>,
  after = '00000000-0000-0000-0000-000000000000',
  most = 500,
): Promise<{ warned: number; next: string | undefined }> {
  const [found] = await db.many<{ warned: number; last: string | null }>(sql`
    with looked_at as materialized (
      select l.id, l.amount, ${spentUnder} / 1000 as spent
        from spend_limit l
       where l.id > ${after}::uuid and l.reached_in is distinct from ${monthBegins}
       order by l.id limit ${most}),
    crossed as (
      select id, amount, case when spent > amount - 1 then 'reached' else 'warned' end as level
        from looked_at where spent * 5 >= amount * 4),
    marked as (
      update spend_limit l
         set warned_in = ${monthBegins},
             reached_in = case when crossed.level = 'reached' then ${monthBegins}
                               else l.reached_in end
        from crossed
       where l.id = crossed.id and l.amount = crossed.amount
         and case crossed.level when 'reached' then l.reached_in else l.warned_in end
             is distinct from ${monthBegins}
      returning l.id, l.account_id, l.amount, crossed.level),
    warned as (
      insert into spend_limit_warning (limit_id, user_id, month, level, amount)
      select marked.id, u.id, ${monthBegins}, marked.level, marked.amount
        from marked
        join billing_account a on a.id = marked.account_id
        join app_user u on ${mayBeWarned}
      on conflict on constraint spend_limit_warning_once do nothing
      returning id, user_id),
    mailed as (
      insert into mail (kind, recipient, subject_id)
      select 'spend_limit', u.email, warned.id
        from warned join app_user u on u.id = warned.user_id)
    select (select count(*)::integer from marked) as warned,
           (select id from looked_at order by id offset ${most}::integer - 1) as last`);
  return { warned: found?.warned ?? 0, next: found?.last ?? undefined };
}
