import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { connectionSnapshot } from './connection.ts';

/** Removes a connection with its token. */
export const deleteGiteaConnection = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/gitea/connections/{gitea_connection_id}',
  area: 'Workspaces',
  operationId: 'delete_gitea_connection',
  summary: 'Remove a connection to Gitea or Forgejo',
  description:
    'Deletes the token. Repositories that projects have attached stay attached and cannot be used ' +
    'until the workspace is connected to the same server again. Owners and admins only.',
  access: onWorkspace('update_workspace'),
  params: ids('org_id', 'gitea_connection_id'),
  responses: { 204: { description: 'The connection was removed.' } },
  errors: [notFound],
  handle: ({ params: { gitea_connection_id }, requestId, statement }) =>
    statement<{ removed: boolean }>(
      {
        with: sql`
          removed as (
            delete from gitea_connection t using authorized
             where t.id = ${gitea_connection_id} and t.organization_id = authorized.organization_id
            returning t as row),
          audited as (${auditRow({
            action: 'gitea.disconnect',
            requestId,
            target: sql`(removed.row).id`,
            organization: sql`(removed.row).organization_id`,
            project: sql`null::uuid`,
            before: connectionSnapshot(sql`removed.row`),
            after: sql`null::jsonb`,
            from: sql`removed`,
          })})`,
        select: sql`select exists (select from removed) as removed from authorized`,
      },
      ({ removed }) => {
        if (!removed) throw notFound();
        return { status: 204 };
      },
    ),
});
