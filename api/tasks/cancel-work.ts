import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { CANCELLABLE, shownStatus } from './task.ts';
import type { TaskStatus } from './task-states.ts';

/**
 * Cancels all that a task does or was to do, in a transaction that has locked the task; nothing
 * when its status has nothing to cancel. `running`: a turn is, which its worker ends.
 */
export async function cancelWork(
  tx: Tx,
  taskId: string,
): Promise<{ before: TaskStatus; cancelled: boolean; running: boolean }> {
  const { status: before } = await tx.one<{ status: TaskStatus }>(sql`
    select ${shownStatus} as status from task t where t.id = ${taskId}`);
  if (!CANCELLABLE.includes(before)) return { before, cancelled: false, running: false };
  await cancelStarts(tx, taskId);
  const { running } = await cancelTurns(tx, taskId);
  if (!running)
    await tx.many(sql`
      update task set status = 'cancelled', status_reason = null where id = ${taskId}`);
  return { before, cancelled: true, running };
}

/**
 * Takes the starts of approved versions out of the outbox that no worker has taken; each becomes a
 * cancelled turn. The newest one can be resumed.
 */
async function cancelStarts(tx: Tx, taskId: string): Promise<void> {
  await tx.many(sql`
    with start as (
      update outbox o set done_at = now()
        from waiting_start s
       where s.task_id = ${taskId} and o.id = s.outbox_id and o.done_at is null
      returning s.task_id, s.version, s.approved_by_user_id),
    numbered as (
      update task t set last_turn = t.last_turn + (select count(*)::int from start)
       where t.id = ${taskId} and exists (select from start)
      returning t.last_turn)
    insert into task_turn (task_id, number, kind, source, prompt, plan_version, state,
                           requested_by_user_id, ended_at)
    select start.task_id,
           numbered.last_turn + 1 - row_number() over (order by start.version desc), 'build',
           'plan:' || start.task_id || ':' || start.version, '', start.version, 'cancelled',
           start.approved_by_user_id, clock_timestamp()
      from start cross join numbered`);
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
