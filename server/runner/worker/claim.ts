import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Lease } from './lease.ts';

/** A claimed turn, with what its agent needs to know. */
export interface Turn extends Lease {
  number: number;
  kind: 'plan' | 'build' | 'prompt';
  /** What the agent may do: `plan` only reads. It stays what it was at the first claim. */
  mode: 'plan' | 'build';
  /** The person's message, or the text of the approved plan. */
  prompt: string;
  /** The name of the person who approved the plan; null for a plan that a policy has, or none. */
  approver: string | null;
  projectId: string;
  /** Who wrote the message, approved the plan or resumed the task; null where a policy approved. */
  requestedByUserId: string | null;
  /** The task's, or its project's; null leaves the choice to the catalog. */
  model: string | null;
  /** How often a worker vanished while it had this turn. */
  losses: number;
  /** Someone has asked to cancel it before it was claimed. */
  cancelled: boolean;
  /** It was another worker's, whose lease has run out. */
  takenOver: boolean;
}

/**
 * Claims the turn that has waited longest, for `lease` milliseconds; undefined if none is due. A
 * turn is due when it is its task's first that has not ended, and it is queued or interrupted, or
 * the lease of its worker has run out. One statement: of two workers that see the same turn, the
 * second one waits for the task, finds the turn taken, and gets nothing.
 */
export async function claimTurn(
  db: Pick<Database, 'many'>,
  { owner, lease, deadline }: { owner: string; lease: number; deadline: number },
): Promise<Turn | undefined> {
  for (const due of [abandoned, waiting]) {
    const [turn] = await db.many<Turn>(claim(due, owner, lease, deadline));
    if (turn !== undefined) return turn;
  }
  return undefined;
}

/** SQL: the lease of a turn `u` has run out. */
export const abandoned = {
  is: sql`u.state in ('running', 'waiting') and u.lease_until < now()`,
  order: sql`u.lease_until, u.id`,
};
/** SQL: a turn `u` of a task `t` waits for a worker. */
export const waiting = {
  is: sql`
    u.state in ('queued', 'interrupted') and not u.paused and u.not_before <= now()
    and t.status not in ('paused', 'failed', 'cancelled')`,
  order: sql`u.not_before, u.id`,
};

/** SQL: no earlier turn of its task has still to end before the turn `u`. */
export const isNext = sql`
  not exists (select from task_turn earlier
               where earlier.task_id = u.task_id and earlier.number < u.number
                 and earlier.state in ('queued', 'interrupted', 'running', 'waiting'))`;

// What is asked to be cancelled keeps the status of its task: its worker only ends it.
const claim = (due: { is: Sql; order: Sql }, owner: string, lease: number, deadline: number) => sql`
  with picked as materialized (
    select u.id, u.task_id, u.state, u.cancel_requested_at is not null as cancelled
      from task_turn u join task t on t.id = u.task_id
     where ${due.is} and ${isNext}
     order by ${due.order} limit 1
       for no key update of t skip locked),
  claimed as (
    update task_turn u
       set state = 'running', owner = ${owner}, attempt = u.attempt + 1,
           losses = u.losses + (u.state in ('running', 'waiting'))::int,
           lease_until = now() + ${lease}::integer * interval '1 millisecond',
           started_at = coalesce(u.started_at, now()),
           deadline_at = now() + ${deadline}::integer * interval '1 millisecond',
           mode = coalesce(u.mode, case
             when u.kind = 'build' then 'build'
             when u.kind = 'plan' then 'plan'
             when exists (select from plan p
                           where p.task_id = u.task_id and p.approved_version = p.version)
               then 'build'
             else 'plan' end)
      from picked, task t
     where u.id = picked.id and t.id = u.task_id and ${due.is}
    returning u.*, picked.cancelled, picked.state in ('running', 'waiting') as taken_over),
  moved as (
    update task t
       set fence = t.fence + 1, updated_at = now(),
           status = case when c.cancelled then t.status
                         when c.mode = 'build' then 'building' else 'planning' end,
           status_reason = case when c.cancelled then t.status_reason end
      from claimed c where t.id = c.task_id
    returning t.id, t.fence, t.project_id, t.model)
  select c.task_id as "taskId", c.id as "turnId", c.owner, c.attempt, m.fence, c.number, c.kind,
         c.mode, coalesce(r.body, c.prompt) as prompt, u.name as approver, m.project_id as "projectId",
         c.requested_by_user_id as "requestedByUserId",
         coalesce(m.model, p.default_model) as model, c.losses, c.cancelled,
         c.taken_over as "takenOver"
    from claimed c
    join moved m on m.id = c.task_id
    join project p on p.id = m.project_id
    left join plan_revision r on r.task_id = c.task_id and r.version = c.plan_version
    left join plan l on l.task_id = c.task_id
    left join plan_approval a
      on a.task_id = l.task_id and a.version = l.approved_version and a.approval_source = 'person'
    left join app_user u on u.id = a.approved_by_user_id`;
