import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';

/** Takes back that the caller has set aside what a task has in their inbox. */
export const bringBackTask = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/inbox',
  area: 'Account',
  operationId: 'bring_back_task',
  summary: 'List a task in your inbox again',
  description:
    'Lists what you have set aside of the task in your inbox again, if it still waits for you. ' +
    'Changes nothing if nothing of it is set aside.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 204: { description: 'Nothing of the task is set aside.' } },
  errors: [],
  handle: ({ statement }) =>
    statement<object>(
      {
        with: sql`
          deleted as (
            delete from inbox_mark m
             using authorized cross join caller
             where m.user_id = caller.user_id and m.task_id = authorized.task_id
            returning m.task_id)`,
        select: sql`select (select task_id from deleted) as task_id from authorized`,
      },
      () => ({ status: 204 }),
    ),
});
