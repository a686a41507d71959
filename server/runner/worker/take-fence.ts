import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { EventLog } from '../../tasks/index.ts';

/** A worker that has the fence of a task. */
export interface Writer {
  taskId: string;
  fence: bigint;
}

/**
 * The next fence of a task where no turn is at work, for `owner`; undefined if a turn was claimed
 * since its `fence` was read: the worker of that turn must keep its own.
 */
export async function takeFence(
  db: Pick<Database, 'maybeOne'>,
  events: EventLog,
  owner: string,
  { taskId, fence }: Writer,
): Promise<Writer | undefined> {
  const writer = await db.maybeOne<Writer>(sql`
    update task set fence = fence + 1 where id = ${taskId} and fence = ${fence}
    returning id as "taskId", fence`);
  if (writer === undefined) return undefined;
  return (await events.acquire(taskId, writer.fence, owner)) === undefined ? undefined : writer;
}
