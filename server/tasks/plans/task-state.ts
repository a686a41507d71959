import { sql } from '../../db/sql.ts';

/**
 * The status of a row `task`, as `get_task` shows it: one that rests is queued while the start of
 * an approved version waits.
 */
export const shownStatus = sql`
  case when task.status in ('awaiting_approval', 'ready', 'failed', 'cancelled')
            and (select true from waiting_start s where s.task_id = task.id limit 1)
       then 'queued' else task.status end`;

/** Nothing of the task runs or waits to run, and it is not cancelled. */
export const isIdle = sql`(${shownStatus} in ('awaiting_approval', 'ready', 'failed'))`;

export const isOpen = sql`(${shownStatus} <> 'cancelled')`;
