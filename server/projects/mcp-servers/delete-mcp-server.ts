import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { serverParams, serverSnapshot } from './mcp-server.ts';

const serverNotFound = apiError(
  404,
  'not_found',
  'The project has no MCP server of this name: list them to see which it has',
);

/** Takes an MCP server away from the agents of a project. */
export const deleteMcpServer = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/mcp-servers/{name}',
  area: 'Projects',
  operationId: 'delete_mcp_server',
  summary: 'Remove an MCP server of a project',
  description:
    'The next turn does not get it any more; one that runs keeps it. Admins of the project, and ' +
    'the owner and admins of its workspace only.',
  access: onProject('update_project'),
  params: serverParams,
  responses: { 204: { description: 'The server was removed.' } },
  errors: [serverNotFound],
  handle: ({ params: { name }, requestId, statement }) =>
    statement<{ removed: boolean }>(
      {
        with: sql`
          deleted as (
            delete from project_mcp_server t using authorized
             where t.project_id = authorized.project_id and t.name = ${name}
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'mcp_server.removed',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: serverSnapshot(sql`deleted.row`),
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select exists (select from deleted) as removed from authorized`,
      },
      ({ removed }) => {
        if (!removed) throw serverNotFound();
        return { status: 204 };
      },
    ),
});
