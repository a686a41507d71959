import { onLockedTask } from '../access/task.ts';
import { recordChange } from '../audit/audit.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { showTask } from './show-task.ts';
import { CANCELLABLE, shownStatus, type TaskResource } from './task.ts';
import type { TaskStatus } from './task-states.ts';

const nothingToCancel = apiError(
  409,
  'nothing_to_cancel',
  'Nothing of this task is running or waiting to run: read its status',
);

/** Stops what a task's agent does, and what it was to do next. */
export const cancelTask = (task: TaskResource) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/cancel',
    area: 'Tasks',
    operationId: 'cancel_task',
    summary: 'Cancel a task',
    description:
      'Stops the agent, and cancels the messages that wait for it and the start of an approved ' +
      'plan. Members of the project may. While the agent ends, the answer is 202 and the status ' +
      'stays; the task is `cancelled` when it has. `resume_task` makes it go on.',
    access: onLockedTask('work_on_task'),
    params: ids('task_id'),
    responses: {
      200: task.shown('The cancelled task.'),
      202: task.shown('The task, whose agent has been asked to stop.'),
    },
    errors: [nothingToCancel],
    handle: ({ params: { task_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const { status } = await tx.one<{ status: TaskStatus }>(sql`
          select ${shownStatus} as status from task t where t.id = ${task_id}`);
        if (!CANCELLABLE.includes(status)) throw nothingToCancel();
        await cancelStarts(tx, task_id);
        const { running } = await cancelTurns(tx, task_id);
        if (!running)
          await tx.many(sql`
            update task set status = 'cancelled', status_reason = null where id = ${task_id}`);
        await recordChange(tx, {
          caller,
          action: 'task.cancel',
          target: task_id,
          organizationId: caller.organization_id,
          projectId: caller.project_id,
          before: { status },
          after: running ? {} : { status: 'cancelled' },
          requestId,
        });
        const shown = await tx.one<Shown>(showTask(task, task_id, caller));
        return { ...shownAs(200, shown), status: running ? 202 : 200 };
      }),
  });

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
