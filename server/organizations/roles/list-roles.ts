import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { held, role } from './role.ts';

/** The roles that can be given in a workspace and on its projects: built-in ones and its own. */
export const listRoles = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/roles',
  area: 'Members & Invitations',
  operationId: 'list_roles',
  summary: 'List roles',
  description:
    'The built-in roles of workspaces and of projects, then the custom roles of this workspace ' +
    'by name. Every member may see them.',
  access: onWorkspace('see_workspace'),
  params: ids('org_id'),
  query: Type.Object(paging),
  responses: { 200: role.listed('Built-in roles, then custom ones by name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ with: held, select: listed(roles, query) }, page(url, query.limit)),
});

const roles = {
  json: role.json,
  rows: sql`
    from authorized
    join role t on t.organization_id is null or t.organization_id = authorized.organization_id
    left join held on held.role_id = t.id
   where true`,
  order: [
    {
      by: sql`case when t.organization_id is not null then 9
                   else array_position(array['owner', 'admin', 'member', 'viewer'], t.slug)
                        + case t.scope when 'project' then 4 else 0 end end`,
      type: 'integer',
    },
    { by: sql`lower(t.name) collate "C"`, type: 'text' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
