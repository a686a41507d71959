import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { CANCELLABLE, shownStatus } from './shown-status.ts';
import { startWaiting } from './start-waiting.ts';
import type { TaskStatus } from './task-states.ts';

/**
 * Cancels all that a task does or was to do, in a transaction that has locked the task; nothing
 * when its status has nothing to cancel. `running`: whether a turn runs, which its worker ends.
 */
export async function cancelWork(
  tx: Tx,
  taskId: string,
): Promise<{ before: TaskStatus; cancelled: boolean; running: boolean }> {
  const { status: before } = await tx.one<{ status: TaskStatus }>(sql`
    select ${shownStatus} as status from task t where t.id = ${taskId}`);
  if (!CANCELLABLE.includes(before)) return { before, cancelled: false, running: false };
  // Its turn is cancelled with the others, and can be resumed.
  await startWaiting(tx, taskId);
  const { running } = await cancelTurns(tx, taskId);
  if (!running)
    await tx.many(sql`
      update task set status = 'cancelled', status_reason = null where id = ${taskId}`);
  return { before, cancelled: true, running };
}

/** Whether a turn is running, which its worker ends. */
const cancelTurns = (tx: Tx, taskId: string): Promise<{ running: boolean }> =>
  tx.one(sql`
    with waiting as (
      update task_turn set state = 'cancelled', ended_at = clock_timestamp()
       where task_id = ${taskId} and state in ('queued', 'interrupted')),
    asked as (
      update task_turn set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
       where task_id = ${taskId} and state in ('running', 'waiting')
      returning id)
    select exists (select from asked) as running`);
