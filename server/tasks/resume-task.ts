import { onLockedTask } from '../access/task.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { showTask } from './show-task.ts';
import { RESTING, RESUMABLE, shownStatus } from './shown-status.ts';
import { startWaiting } from './start-waiting.ts';
import type { TaskResource } from './task.ts';
import type { TaskStatus } from './task-states.ts';

const nothingToResume = apiError(
  409,
  'nothing_to_resume',
  'Only a task that is paused, failed or cancelled can be resumed: send it a message instead',
);

/** Makes a task go on with what it did last. */
export const resumeTask = ({ task }: { task: TaskResource }) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/resume',
    area: 'Tasks',
    operationId: 'resume_task',
    wakes: true,
    summary: 'Resume a task',
    description:
      'Makes a task go on that is paused, failed or cancelled: what it did last is queued again. ' +
      'Members of the project may. A task that was paused for a reason that still holds is ' +
      'paused again.',
    access: onLockedTask('work_on_task'),
    params: ids('task_id'),
    responses: { 200: task.shown('The task, queued.') },
    errors: [nothingToResume],
    handle: ({ params: { task_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const before = await tx.one<{ status: TaskStatus; status_reason: string | null }>(sql`
          select ${shownStatus} as status, t.status_reason from task t where t.id = ${task_id}`);
        if (!RESUMABLE.includes(before.status)) throw nothingToResume();
        const building = await startWaiting(tx, task_id);
        // Approved since the status was read, for approvals do not wait for the lock: as in the
        // order approval, resume, the build is queued already.
        if (building && RESTING.includes(before.status)) throw nothingToResume();
        const goesOn = (await wake(tx, task_id)) || (await again(tx, task_id, caller.userId));
        if (!goesOn) throw nothingToResume();
        await tx.many(sql`
          update task set status = 'queued', status_reason = null where id = ${task_id}`);
        await recordChange(tx, {
          caller,
          action: 'task.resume',
          target: task_id,
          organizationId: caller.organization_id,
          projectId: caller.project_id,
          before,
          after: { status: 'queued' },
          requestId,
        });
        return shownAs(200, await tx.one<Shown>(showTask(task, task_id, caller)));
      }),
  });

/** Lets the turns that wait be claimed at once. Returns whether there are any. */
const wake = async (tx: Tx, taskId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      update task_turn set not_before = least(not_before, now())
       where task_id = ${taskId} and state in ('queued', 'interrupted')
      returning id`)
  ).length > 0;

/**
 * Queues the last turn again, as a new one. A message that no agent has read belongs to the new
 * one, so that it is shown as queued again. Returns whether there was one.
 */
const again = async (tx: Tx, taskId: string, userId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      with last as materialized (
        select id, task_id, kind, prompt, plan_version, attempt
          from task_turn where task_id = ${taskId} order by number desc limit 1),
      numbered as (
        update task t set last_turn = t.last_turn + 1
          from last where t.id = last.task_id
        returning t.last_turn),
      queued as (
        insert into task_turn (task_id, number, kind, source, prompt, plan_version,
                               requested_by_user_id)
        select last.task_id, numbered.last_turn, last.kind,
               'resume:' || last.task_id || ':' || numbered.last_turn, last.prompt,
               last.plan_version, ${userId}
          from last cross join numbered
        returning id),
      moved as (
        update task_message m set turn_id = queued.id
          from last cross join queued where m.turn_id = last.id and last.attempt = 0)
      select id from queued`)
  ).length > 0;
