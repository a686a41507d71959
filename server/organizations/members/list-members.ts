import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { contains } from '../../db/search.ts';
import { nothing, sql } from '../../db/sql.ts';
import { text, uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { member, memberJoins } from './member.ts';

/** The members of a workspace, the owner first. */
export const listMembers = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/members',
  area: 'Members & Invitations',
  operationId: 'list_members',
  summary: 'List members',
  description:
    'The members of the workspace with their roles and teams. Every member may see them. ' +
    'People who were deactivated, or lack the second factor that the workspace requires, are ' +
    'listed too. The complete list, unless `limit` is given.',
  access: onWorkspace('see_members'),
  params: ids('org_id'),
  query: Type.Object({
    ...paging,
    q: Type.Optional(
      text({ minLength: 1, maxLength: 200, description: 'A part of the name or email address.' }),
    ),
    role: Type.Optional(
      text({ minLength: 1, maxLength: 50, description: 'Only members with this role.' }),
    ),
    team_id: Type.Optional(uuid({ description: 'Only members of this team.' })),
  }),
  responses: { 200: member.listed('The owner first, then by name; people without a name last.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(members(query), query) }, page(url, query.limit)),
});

// The "C" collation sorts the same on every PostgreSQL, whatever its locale.
const members = ({ q, role, team_id }: { q?: string; role?: string; team_id?: string }) => ({
  json: member.json,
  rows: sql`
    from authorized
    join membership t on t.organization_id = authorized.organization_id
         ${memberJoins}
   where true
         ${q ? sql`and (${contains(sql`u.name`, q)} or ${contains(sql`u.email`, q)})` : nothing}
         ${role ? sql`and r.slug = ${role}` : nothing}
         ${
           team_id
             ? sql`and exists (select from team_member tm
                                where tm.team_id = ${team_id} and tm.user_id = t.user_id
                                  and tm.organization_id = t.organization_id)`
             : nothing
         }`,
  order: [
    { by: sql`(t.user_id <> o.owner_user_id)::int`, type: 'integer' as const },
    { by: sql`(u.name is null)::int`, type: 'integer' as const },
    { by: sql`coalesce(lower(u.name), '') collate "C"`, type: 'text' as const },
    { by: sql`u.email collate "C"`, type: 'text' as const },
    { by: sql`t.user_id`, type: 'uuid' as const },
  ],
});
