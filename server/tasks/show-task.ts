import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import type { TaskResource } from './task.ts';

/**
 * Selects a task inside a transaction, as its caller sees it: one who may write, since they have
 * just done so.
 */
export const showTask = (
  task: TaskResource,
  taskId: string,
  caller: Caller & { acts_as: string },
): Sql => sql`
  with caller as (select ${caller.userId}::uuid as user_id, false as read_only),
  authorized as (select ${caller.acts_as}::text as acts_as)
  select ${task.columns} from authorized join task t on t.id = ${taskId}`;
