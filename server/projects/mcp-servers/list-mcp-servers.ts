import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import type { McpServerResource } from './mcp-server.ts';

/** The servers of the Model Context Protocol that agents of a project are given. */
export const listMcpServers = (server: McpServerResource) =>
  route({
    method: 'GET',
    path: '/api/projects/{project_id}/mcp-servers',
    area: 'Projects',
    operationId: 'list_mcp_servers',
    summary: 'List the MCP servers of a project',
    description:
      'The servers of the Model Context Protocol that agents of the project are given. Values of ' +
      `headers and variables are shown as they were written, with \`\${NAME}\` for what stays hidden. ` +
      'Admins of the project, and the owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    responses: { 200: server.listed('By name. Always complete.') },
    errors: [],
    handle: ({ url, statement }) =>
      statement<Listed>(
        {
          select: listed(
            {
              json: server.json,
              rows: sql`
                from project_mcp_server t cross join authorized
               where t.project_id = authorized.project_id`,
              order: [{ by: sql`t.name collate "C"`, type: 'text' }],
            },
            {},
          ),
        },
        page(url, undefined),
      ),
  });
