import { sql } from '../db/sql.ts';

/** Nothing of the task runs or waits to run, from rows `task` and `t` of `plan`. */
export const isIdle = sql`
  (task.status in ('awaiting_approval', 'ready', 'failed')
   and not exists (
     select from outbox start
      where start.topic = 'agent_start' and start.done_at is null
        and start.key = t.task_id || ':' || t.approved_version))`;

/** `task.status` is not `cancelled`. */
export const isOpen = sql`task.status <> 'cancelled'`;
