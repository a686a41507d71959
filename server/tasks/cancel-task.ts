import { onLockedTask } from '../access/task.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { cancelWork } from './cancel-work.ts';
import { showTask } from './show-task.ts';
import type { TaskResource } from './task.ts';

const nothingToCancel = apiError(
  409,
  'nothing_to_cancel',
  'Nothing of this task is running or waiting to run: read its status',
);

/** Stops what a task's agent does, and what it was to do next. */
export const cancelTask = ({ task }: { task: TaskResource }) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/cancel',
    area: 'Tasks',
    operationId: 'cancel_task',
    wakes: true,
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
        const { before: status, cancelled, running } = await cancelWork(tx, task_id);
        if (!cancelled) throw nothingToCancel();
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
