import { canBeActivated, onTaskConnection } from '../../access/odoo-connection.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { notForAgents, shownOf, taskConnection, withoutSecret } from './task-connection.ts';

/** Lets the agent of a task use a connection of its project. */
export const activateConnection = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/odoo-connections/{connection_id}',
  area: 'Odoo Connections',
  operationId: 'activate_odoo_connection',
  summary: 'Activate a connection in a task',
  description:
    'The agent reaches the server at a local address from its next turn on, with the rights that ' +
    'the connection gives to agents, and never gets the secret. Activating one again changes ' +
    'nothing. Members of the project may.',
  access: onTaskConnection('work_on_task'),
  params: ids('task_id', 'connection_id'),
  responses: { 200: taskConnection.shown('The connection, as it is active.', []) },
  errors: [notForAgents, withoutSecret],
  handle: ({ requestId, statement }) =>
    statement<{ item: string | null; secret: Buffer | null; agent_access: string }>(
      {
        with: sql`
          changed as (
            insert into task_odoo_connection as t (task_id, project_id, connection_id,
                                                   activated_by_user_id, activated_at)
            select a.task_id, a.project_id, c.id, caller.user_id, clock_timestamp()
              from authorized a cross join caller
              join odoo_connection c on c.id = a.connection_id and ${canBeActivated}
               for key share of c
            -- Written again as it is, so that one of two at once sees it, too.
            on conflict (task_id, connection_id)
            do update set activated_by_user_id = t.activated_by_user_id
            returning t.*, t.xmax = 0 as is_new),
          audited as (${auditRow({
            action: 'odoo_connection.activate',
            requestId,
            target: sql`changed.connection_id`,
            organization: sql`authorized.organization_id`,
            project: sql`changed.project_id`,
            before: sql`null::jsonb`,
            after: sql`jsonb_build_object('task_id', changed.task_id)`,
            from: sql`(select * from changed where is_new) changed cross join authorized`,
          })})`,
        select: sql`
          select ${taskConnection.json} as item
            from authorized left join ${shownOf(sql`changed`)} t on true`,
      },
      ({ item, secret, agent_access }) => {
        if (item === null) {
          if (secret === null) throw withoutSecret();
          // Otherwise it was deleted meanwhile.
          throw agent_access === 'none' ? notForAgents() : notFound();
        }
        return { status: 200, body: item };
      },
    ),
});
