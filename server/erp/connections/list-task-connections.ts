import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { shownOf, taskConnection } from './task-connection.ts';

/** The connections to Odoo that the agent of a task may use. */
export const listTaskConnections = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/odoo-connections',
  area: 'Odoo Connections',
  operationId: 'list_task_odoo_connections',
  summary: 'List the active connections of a task',
  description:
    'Those that the agent may use, in the order in which they were activated. ' +
    '`list_odoo_connections` has all of the project. Everyone who can open the project may see ' +
    'them.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: taskConnection.listed('In the order in which they were activated.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed({ ...active, json: taskConnection.json }, query) },
      page(url, query.limit),
    ),
});

const active = {
  rows: sql`
    from authorized
    join ${shownOf(sql`task_odoo_connection`)} t on t.task_id = authorized.task_id where true`,
  order: [
    { by: sql`t.activated_at`, type: 'timestamptz' },
    { by: sql`t.connection_id`, type: 'uuid' },
  ],
} as const;
