import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * Makes the deliveries of the oldest events of the outbox, one for each endpoint that wants to hear
 * of it, and deletes the events. Any number of processes may do so: each waits for the one before,
 * so that deliveries about a task are in the order of its events. Returns how many events there
 * were.
 */
export const routeEvents = (
  db: Pick<Database, 'many' | 'transaction'>,
  most = 200,
): Promise<number> =>
  db.transaction(async (tx) => {
    const events = await tx.many<{ id: string }>(sql`
      select id from webhook_event order by noted_at, id limit ${most} for update`);
    if (events.length === 0) return 0;
    const ids = events.map(({ id }) => id);
    // One that is being deleted gets nothing. What is locked here, in this order, is what everything
    // that ends a delivery locks.
    const endpoints = await tx.many<{ id: string }>(sql`
      select e.id from webhook_endpoint e
       where e.enabled and exists (
         select from webhook_event v
          where v.id = any(${ids}::uuid[]) and v.noted_at >= e.created_at
            and v.type = any(e.event_types)
            and (v.organization_id = e.organization_id or v.project_id = e.project_id))
       order by e.id for key share of e skip locked`);
    const those = endpoints.map(({ id }) => id);
    await tx.many(sql`
      select endpoint_id from webhook_queue where endpoint_id = any(${those}::uuid[])
       order by endpoint_id for update`);
    await tx.many(sql`
      with wanted as (
        select e.id as endpoint_id, v.*,
               row_number() over (partition by e.id, v.task_id order by v.noted_at, v.id) as place
          from webhook_event v
          join webhook_endpoint e
            on v.organization_id = e.organization_id or v.project_id = e.project_id
         where v.id = any(${ids}::uuid[]) and e.id = any(${those}::uuid[])
           and v.noted_at >= e.created_at and v.type = any(e.event_types)),
      made as (
        insert into webhook_delivery
               (endpoint_id, type, project_id, task_id, body, noted_at, state, next_attempt_at)
        select w.endpoint_id, w.type, w.project_id, w.task_id, w.body, w.noted_at,
               case when blocked.is then 'blocked' else 'waiting' end,
               case when not blocked.is then w.noted_at end
          from wanted w
         cross join lateral (
           select w.task_id is not null
                  and (w.place > 1
                       or exists (select from webhook_delivery d
                                   where d.endpoint_id = w.endpoint_id and d.task_id = w.task_id
                                     and d.state in ('blocked', 'waiting'))) as is) blocked
         order by w.noted_at, w.id
        returning endpoint_id)
      -- One that fails goes on resting.
      update webhook_queue q
         set next_at = case when q.failures = 0 then least(q.next_at, now())
                            else coalesce(q.next_at, now()) end
       where q.endpoint_id in (select endpoint_id from made)`);
    await tx.many(sql`delete from webhook_event where id = any(${ids}::uuid[])`);
    return events.length;
  });
