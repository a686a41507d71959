import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { currentInstance, instanceNotFound, odooInstance } from './odoo-instance.ts';

/** The throwaway ERP system of a task. */
export const getOdooInstance = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/odoo-instance',
  area: 'Odoo Connections',
  operationId: 'get_odoo_instance',
  summary: 'Get the ERP instance of a task',
  description:
    'An ERP system of its own, in which the agent of the task tries out what it builds, and which ' +
    'is thrown away. Everyone who can open the project may see it; its password is shown to no one.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 200: odooInstance.shown('The instance.', []) },
  errors: [instanceNotFound],
  handle: ({ statement }) =>
    statement<{ item: string | null }>(
      {
        select: sql`
          select ${odooInstance.columns}
            from authorized
            left join lateral ${currentInstance(sql`authorized.task_id`)} t on true`,
      },
      ({ item }) => {
        if (item === null) throw instanceNotFound();
        return { status: 200, body: item };
      },
    ),
});
