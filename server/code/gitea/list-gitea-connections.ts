import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { ids, route } from '../../http/route.ts';
import { giteaConnection } from './connection.ts';

/** The Gitea and Forgejo servers that projects of a workspace may use. */
export const listGiteaConnections = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/gitea/connections',
  area: 'Workspaces',
  operationId: 'list_gitea_connections',
  summary: 'List connections to Gitea and Forgejo',
  description:
    'The servers whose repositories the projects of the workspace may attach, without their ' +
    'tokens. Members only.',
  access: onWorkspace('see_workspace'),
  params: ids('org_id'),
  responses: { 200: giteaConnection.listed('The oldest first. Always complete.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(connections, {}) }, page(url, undefined)),
});

const connections = {
  json: giteaConnection.json,
  rows: sql`
    from gitea_connection t cross join authorized where t.organization_id = authorized.organization_id`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
