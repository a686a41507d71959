import { onLockedTask } from '../access/task.ts';
import { microUsd, requirePayer, unpaidErrors } from '../billing/index.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { pod, podInUse, requestPod, showPod, taskArchived } from './pod.ts';

/** Makes the pod of a task ready before its agent needs it. */
export const startPod = ({ catalog: { pods } }: { catalog: Pick<Catalog, 'pods'> }) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/pod/start',
    area: 'Tasks',
    operationId: 'start_pod',
    wakes: true,
    summary: 'Start the pod of a task',
    description:
      'Asks for the pod to be made, if there is none, and started, so that the next turn need not ' +
      'wait for that. A worker does it, and `get_pod` shows when it is done. Nothing changes while ' +
      'the agent is at work in it. Turns start the pod by themselves. Where the time of pods has a ' +
      'price, there must be a balance, and no spend limit of the month may be reached. Members of ' +
      'the project may.',
    access: onLockedTask('work_on_task'),
    params: ids('task_id'),
    responses: {
      200: pod.shown('The pod, and what is wanted of it.', []),
    },
    errors: [taskArchived, ...unpaidErrors],
    handle: ({ params: { task_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const task = await tx.one<{ archived: boolean; busy: boolean }>(sql`
          select t.archived_at is not null as archived, ${podInUse} as busy
            from task t where t.id = ${task_id}`);
        if (task.archived) throw taskArchived();
        if (!task.busy) {
          if (microUsd(pods.price_per_hour) !== 0n) await requirePayer(tx, task_id);
          await requestPod(tx, task_id, 'start', caller.userId);
          await recordChange(tx, {
            caller,
            action: 'pod.start',
            target: task_id,
            requestId,
            organizationId: caller.organization_id,
            projectId: caller.project_id,
            before: {},
            after: {},
          });
        }
        const { item } = await showPod(tx, task_id);
        return { status: 200, body: item };
      }),
  });
