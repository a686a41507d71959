import Type from 'typebox';
import { acrossWorkspaces } from '../../access/account.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { route } from '../../http/route.ts';
import { roleAndCounts, workspace } from './workspace.ts';

/** The workspaces that the caller is a member of. */
export const listWorkspaces = route({
  method: 'GET',
  path: '/api/organizations',
  area: 'Workspaces',
  operationId: 'list_workspaces',
  summary: 'List your workspaces',
  description:
    'The workspaces that the caller is a member of, sorted by name. One whose two-factor ' +
    'policy the caller does not meet is listed without available actions. A key that is ' +
    'limited to one workspace sees that one only.',
  access: acrossWorkspaces,
  query: Type.Object(paging),
  responses: { 200: workspace.listed('By name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(workspaces, query) }, page(url, query.limit)),
});

const workspaces = {
  json: workspace.json,
  rows: sql`
    from authorized
    cross join caller
    join membership m on m.user_id = caller.user_id
    join organization t on t.id = m.organization_id ${roleAndCounts}
   where (authorized.organization_id is null or t.id = authorized.organization_id)`,
  order: [
    { by: sql`lower(t.name) collate "C"`, type: 'text' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
