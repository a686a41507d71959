import { onConnection } from '../../access/odoo-connection.ts';
import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { connection, connectionChanged } from './connection.ts';

/** Deletes a connection with its secret. A turn that uses it is refused from its next call on. */
export const deleteConnection = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/odoo-connections/{connection_id}',
  area: 'Odoo Connections',
  operationId: 'delete_odoo_connection',
  summary: 'Delete a connection to Odoo',
  description:
    'Deletes the connection and its secret. Tasks in which it is active lose it at once. The ' +
    'secret still works in Odoo: withdraw it there, too. Admins of the project, and the owner and ' +
    'admins of its workspace only.',
  access: onConnection('update_project'),
  // The connection is gone by then.
  replayAccess: onProject('update_project'),
  params: ids('project_id', 'connection_id'),
  responses: { 204: { description: 'The connection was deleted.' } },
  headers: { 'If-Match': 'The ETag of the connection that you have read.' },
  errors: [connectionChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sql`odoo_connection`, sql`connection_id`, headers['if-match'])},
          deleted as (
            delete from odoo_connection t using current, authorized
             where t.id = (current.row).id and current.expected
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'odoo_connection.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: connection.snapshot(sql`deleted.row`),
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        if (expected === null) throw notFound();
        if (!expected) throw connectionChanged();
        return { status: 204 };
      },
    ),
});
