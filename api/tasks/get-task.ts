import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import type { TaskResource } from './task.ts';

/** One task, and what the caller may do to it. */
export const getTask = (task: TaskResource) =>
  route({
    method: 'GET',
    path: '/api/tasks/{task_id}',
    area: 'Tasks',
    operationId: 'get_task',
    summary: 'Get a task',
    description: 'The task, for everyone who can open its project.',
    access: onTask('open_project'),
    params: ids('task_id'),
    responses: { 200: task.shown('The task.') },
    errors: [],
    handle: ({ statement }) =>
      statement<Shown>(
        {
          select: sql`
            select ${task.columns}
              from authorized join task t on t.id = authorized.task_id`,
        },
        (row) => shownAs(200, row),
      ),
  });
