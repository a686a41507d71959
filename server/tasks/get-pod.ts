import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { newestPod, pod } from './pod.ts';

/** Where the agent of a task works. */
export const getPod = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/pod',
  area: 'Tasks',
  operationId: 'get_pod',
  summary: 'Get the pod of a task',
  description:
    'Where the agent of the task works: a work tree, a home folder and its processes. A task ' +
    'without one has a pod that is `absent`. Everyone who can open the project may see it.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 200: pod.shown('The pod.', []) },
  errors: [],
  handle: ({ statement }) =>
    statement<{ item: string }>(
      {
        select: sql`
          select ${pod.columns}
            from authorized
            cross join lateral ${newestPod(sql`authorized.task_id`)} t`,
      },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
