import { account, askedFor, leftUnder, limits } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { leftToProject, leftToTask, SLICE } from './payer.ts';

/** Where a search has stopped. */
export interface Place {
  reason: string;
  id: string;
}

const BEGINNING: Place = { reason: '', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Lets tasks go on that paused because no one could pay, once someone can, or at a cap or a limit,
 * once there is room: it was raised or removed, another turn has not spent what was left to it, or
 * the month of the limit is over. What the next call of a model needs has to be there (`needed`), or
 * the turn would begin only to pause again.
 *
 * A search looks at `most` paused tasks after the place where the last one stopped, because tasks
 * whose people have given them up stay paused and become ever more. `next` is where the next search
 * goes on, undefined when it begins anew.
 */
export async function resumeFunded(
  db: Pick<Tx, 'many'>,
  { reason, id }: Place = BEGINNING,
  most = 1_000,
): Promise<{ resumed: number; next: Place | undefined }> {
  const [found] = await db.many<{ resumed: number; last: Place | null }>(sql`
    with looked_at as materialized (
      select t.id, t.project_id, t.status_reason
        from task t
       where t.status = 'paused'
         and t.status_reason in ('account_not_active', 'insufficient_funds', 'spend_cap',
                                 'spend_limit')
         and (t.status_reason, t.id) > (${reason}, ${id}::uuid)
       order by t.status_reason, t.id
       limit ${most}),
    paying as materialized (
      select p.id, a.id as account_id, a.balance - a.held as free, ${leftToProject(sql`null::uuid`)} as left_over
        from project p cross join lateral (${account}) a
       where p.id in (select project_id from looked_at)
         and a.status = 'active' and a.balance > a.held),
    -- Each once, however many tasks it has stopped.
    limiting as materialized (
      select l.account_id, l.subject, l.project_id, l.user_id, l.task_id,
             ${leftUnder(sql`null::uuid`)} as left_over
        from spend_limit l
       where l.account_id in (
         select paying.account_id from paying join looked_at on looked_at.project_id = paying.id
          where looked_at.status_reason = 'spend_limit')),
    payable as materialized (
      select t.id
        from looked_at
        join paying on paying.id = looked_at.project_id
        join task t on t.id = looked_at.id
       cross join lateral (select least(${leftToTask}, paying.left_over) as left_over) cap
       cross join lateral (
         select u.requested_by_user_id, coalesce(u.needed, 1) as needed from task_turn u
          where u.task_id = t.id and u.state in ('queued', 'interrupted')
          order by u.number limit 1) next
       cross join lateral (
         select min(l.left_over) as left_over from limiting l
          where t.status_reason = 'spend_limit' and l.account_id = paying.account_id
            and ${limits({
              project: sql`t.project_id`,
              task: sql`t.id`,
              person: askedFor(sql`next`, sql`t`),
            })}) month
       where t.status = 'paused' and t.status_reason = looked_at.status_reason
         and (t.status_reason <> 'spend_cap' or coalesce(cap.left_over >= next.needed, true))
         and coalesce(month.left_over >= next.needed, true)
         and paying.free >= greatest(next.needed,
                                   least(${SLICE}::bigint, cap.left_over, month.left_over))
         for no key update of t skip locked),
    resumed as (
      update task t set status = 'queued', status_reason = null, updated_at = now()
        from payable where t.id = payable.id
      returning t.id)
    select (select count(*)::integer from resumed) as resumed,
           (select json_build_object('reason', status_reason, 'id', id) from looked_at
             order by status_reason, id offset ${most}::integer - 1) as last`);
  return { resumed: found?.resumed ?? 0, next: found?.last ?? undefined };
}
