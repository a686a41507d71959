import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** Approved plans that one call turns into turns; each is a statement of its own. */
const MOST = 20;

/**
 * Queues a build turn for each task with an approved plan that waits in the outbox: one, of the
 * version that was approved last. Any number of processes may do so. A task that someone has locked
 * is left to the next poll. Returns how many were taken.
 */
export async function startBuilds(db: Pick<Database, 'many'>): Promise<number> {
  await db.many(ofDeletedTasks);
  for (let taken = 0; taken < MOST; taken++) {
    const [start] = await db.many(startOne);
    if (start === undefined) return taken;
  }
  return MOST;
}

/** Is done with: nothing is queued. */
const ofDeletedTasks = sql`
  update outbox o set done_at = now()
   where o.topic = 'agent_start' and o.done_at is null
     and not exists (select from task t where t.id = (o.payload->>'task_id')::uuid)`;

// The task is locked before the start in the outbox, as everywhere (decision 35). A task that is at
// work or paused stays as it is: the build is the next of its turns.
const startOne = sql`
  with start as materialized (
    select t.id, t.last_turn
      from outbox o join task t on t.id = (o.payload->>'task_id')::uuid
     where o.topic = 'agent_start' and o.done_at is null
     order by o.created_at, o.id limit 1
       for no key update of t skip locked),
  built as materialized (select id, start_build(id, last_turn + 1) as turns from start),
  numbered as (
    update task t
       set last_turn = t.last_turn + built.turns, updated_at = now(),
           status = case when t.status in ('awaiting_approval', 'ready', 'failed', 'cancelled')
                         then 'queued' else t.status end,
           status_reason = case when t.status = 'failed' then null else t.status_reason end
      from built where t.id = built.id and built.turns > 0)
  select id from built`;
