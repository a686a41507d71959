import { onLockedTask } from '../access/task.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { pod, podInUse, podInUseError, requestPod, showPod } from './pod.ts';

/** Ends what runs in the pod of a task. */
export const stopPod = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/pod/stop',
  area: 'Tasks',
  operationId: 'stop_pod',
  wakes: true,
  summary: 'Stop the pod of a task',
  description:
    'Asks for everything that runs in the pod to be ended; its files are kept, and the next turn ' +
    'starts it again. A worker does it, and `get_pod` shows when it is done. A turn is never ' +
    'interrupted by this: while the agent is at work the answer is 409 `pod_in_use`, ' +
    'and `cancel_task` ends the turn. Members of the project may.',
  access: onLockedTask('work_on_task'),
  params: ids('task_id'),
  responses: {
    200: pod.shown('The pod, and what is wanted of it.', []),
  },
  errors: [podInUseError],
  handle: ({ params: { task_id }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const { busy } = await tx.one<{ busy: boolean }>(sql`
        select ${podInUse} as busy from task t where t.id = ${task_id}`);
      if (busy) throw podInUseError();
      await requestPod(tx, task_id, 'stop', caller.userId);
      await recordChange(tx, {
        caller,
        action: 'pod.stop',
        target: task_id,
        requestId,
        organizationId: caller.organization_id,
        projectId: caller.project_id,
        before: {},
        after: {},
      });
      const { item } = await showPod(tx, task_id);
      return { status: 200, body: item };
    }),
});
