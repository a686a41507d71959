import { onTaskConnection } from '../../access/odoo-connection.ts';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/** Ends that the agent of a task uses a connection. */
export const deactivateConnection = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/odoo-connections/{connection_id}',
  area: 'Odoo Connections',
  operationId: 'deactivate_odoo_connection',
  summary: 'Deactivate a connection in a task',
  description:
    'The agent is refused from its next call on, also while it is at work. One that is not ' +
    'active stays so. Members of the project may.',
  access: onTaskConnection('work_on_task'),
  replayAccess: onTask('work_on_task'),
  params: ids('task_id', 'connection_id'),
  responses: { 204: { description: 'The agent of the task may not use the connection.' } },
  errors: [],
  handle: ({ requestId, statement }) =>
    statement(
      {
        with: sql`
          deleted as (
            delete from task_odoo_connection t using authorized a
             where t.task_id = a.task_id and t.connection_id = a.connection_id
            returning t.*, a.organization_id),
          audited as (${auditRow({
            action: 'odoo_connection.deactivate',
            requestId,
            target: sql`deleted.connection_id`,
            organization: sql`deleted.organization_id`,
            project: sql`deleted.project_id`,
            before: sql`jsonb_build_object('task_id', deleted.task_id)`,
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select from authorized`,
      },
      () => ({ status: 204 }),
    ),
});
