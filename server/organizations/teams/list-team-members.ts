import Type from 'typebox';
import { onTeam } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';

/** A person in a team, from a row `u` of `app_user`. */
const teamMember = resource('TeamMember', {
  user_id: [uuid(), sql`u.id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  email: [Type.String(), sql`u.email`, 'ada@example.com'],
  name: [Type.Optional(Type.String()), sql`u.name`, 'Ada Byron'],
  is_active: [Type.Boolean(), sql`u.is_active`, true],
});

/** The members of a team, by name. */
export const listTeamMembers = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/teams/{team_id}/members',
  area: 'Members & Invitations',
  operationId: 'list_team_members',
  summary: 'List the members of a team',
  description:
    'The people in the team. Every member of the workspace may see them; `list_members` with ' +
    '`team_id` also shows their roles. The complete list, unless `limit` is given.',
  access: onTeam('see_members'),
  params: ids('org_id', 'team_id'),
  query: Type.Object(paging),
  responses: { 200: teamMember.listed('By name; people without a name last.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(people, query) }, page(url, query.limit)),
});

const people = {
  json: teamMember.json,
  rows: sql`
    from authorized
    join team_member tm on tm.team_id = authorized.team_id
    join app_user u on u.id = tm.user_id
   where true`,
  order: [
    { by: sql`(u.name is null)::int`, type: 'integer' },
    { by: sql`coalesce(lower(u.name), '') collate "C"`, type: 'text' },
    { by: sql`u.email collate "C"`, type: 'text' },
    { by: sql`u.id`, type: 'uuid' },
  ],
} as const;
