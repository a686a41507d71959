import { account, isSpent, limitIsOn, limits } from '../../../billing/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

const START_ANOTHER = 'then start another instance.';

/**
 * Ends the instances that no one pays: the balance is used up, its account is not active, or a spend
 * limit of the month is spent to which their time counts. The worker of each sees it within seconds,
 * and the events of its task say so, once, whoever finds it. Returns how many.
 */
export async function endUnpaid(db: Database): Promise<number> {
  const ended = await db.many(sql`
    with live as materialized (
      select i.id, t.id as task_id, t.project_id, t.created_by_user_id, a.id as account_id,
             case when a.status is distinct from 'active' then 'account_not_active'
                  when a.balance <= 0 then 'insufficient_funds' end as code
        from erp_instance i
        join task t on t.id = i.task_id
        join project p on p.id = t.project_id
        left join lateral (${account}) a on true
       where i.state in ('starting', 'running')),
    -- Each once, however many instances it ends.
    spent as materialized (
      select l.account_id, l.subject, l.project_id, l.user_id, l.task_id
        from spend_limit l
       where l.account_id in (select account_id from live) and ${isSpent}),
    unpaid as (
      select live.id, coalesce(live.code, 'spend_limit') as code,
             case live.code
               when 'insufficient_funds' then 'The balance is used up. Add funds, '
               when 'account_not_active' then
                 'Nothing can be spent from the account that pays. Add funds if it is in debt, '
               else 'The spend limit of this month for ' || ${limitIsOn(sql`limiting.subject`)}
                    || ' is reached. Raise or remove it, or wait for the next month (UTC), '
             end || ${START_ANOTHER} as reason
        from live
        left join lateral (
          select l.subject from spent l
           where l.account_id = live.account_id
             and ${limits({
               project: sql`live.project_id`,
               task: sql`live.task_id`,
               person: sql`live.created_by_user_id`,
             })}
           order by l.subject limit 1) limiting on true
       where live.code is not null or limiting.subject is not null),
    ended as (
      update erp_instance i
         set state = 'failed', reason = unpaid.reason, reason_code = unpaid.code,
             not_before = now(), url = null, owner = null, lease_until = null
        from unpaid
       where i.id = unpaid.id and i.state in ('starting', 'running')
      returning i.id, i.task_id, i.reason, i.reason_code)
    select note_task_event(ended.task_id, 'notice', json_build_object(
             'text', 'The throwaway Odoo has ended with its data. ' || ended.reason,
             'odoo_instance_id', ended.id, 'reason_code', ended.reason_code))
      from ended`);
  return ended.length;
}
