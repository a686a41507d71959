import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/** Approved plans that one call turns into turns; each is a statement of its own. */
const MOST = 20;

/**
 * Queues a build turn for each approved plan that waits in the outbox, exactly once: the row is
 * marked as done by the same statement, and `task_turn.source` is unique. Any number of processes
 * may do so. Returns how many it queued.
 */
export async function startBuilds(db: Pick<Database, 'many'>): Promise<number> {
  for (let queued = 0; queued < MOST; queued++) {
    const [start] = await db.many(startOne);
    if (start === undefined) return queued;
  }
  return MOST;
}

// A start whose task was deleted is marked as done, and nothing is queued. A task that is at work
// or paused stays as it is: the build is the next of its turns.
const startOne = sql`
  with start as materialized (
    select id, (payload->>'task_id')::uuid as task_id, (payload->>'version')::int as version
      from outbox
     where topic = 'agent_start' and done_at is null
     order by created_at, id limit 1
       for update skip locked),
  done as (
    update outbox o set done_at = now()
      from start where o.id = start.id
    returning start.task_id, start.version),
  numbered as (
    update task t set last_turn = t.last_turn + 1, updated_at = now(),
           status = case when t.status in ('awaiting_approval', 'ready', 'failed', 'cancelled')
                         then 'queued' else t.status end,
           status_reason = case when t.status = 'failed' then null else t.status_reason end
      from done where t.id = done.task_id
    returning t.id, t.last_turn, done.version),
  queued as (
    insert into task_turn
           (task_id, number, kind, source, prompt, plan_version, requested_by_user_id)
    select n.id, n.last_turn, 'build', 'plan:' || n.id || ':' || n.version, '', n.version,
           a.approved_by_user_id
      from numbered n
      left join plan_approval a on a.task_id = n.id and a.version = n.version)
  select start.id from start`;
