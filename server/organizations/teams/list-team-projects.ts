import Type from 'typebox';
import { onTeam } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';

/** A project of a team, from a row `p` of `project`. */
const teamProject = resource('TeamProject', {
  id: [uuid(), sql`p.id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
  name: [Type.String(), sql`p.name`, 'Web shop'],
  archived: [Type.Boolean(), sql`p.archived_at is not null`, false],
});

/** The projects of a team, by name. */
export const listTeamProjects = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/teams/{team_id}/projects',
  area: 'Members & Invitations',
  operationId: 'list_team_projects',
  summary: 'List the projects of a team',
  description:
    'The projects of the team, archived ones too. Every member of the workspace may see them. ' +
    'The complete list, unless `limit` is given.',
  access: onTeam('see_members'),
  params: ids('org_id', 'team_id'),
  query: Type.Object(paging),
  responses: { 200: teamProject.listed('By name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(projects, query) }, page(url, query.limit)),
});

const projects = {
  json: teamProject.json,
  rows: sql`
    from authorized
    join team_project tp on tp.team_id = authorized.team_id
    join project p on p.id = tp.project_id
   where true`,
  order: [
    { by: sql`lower(p.name) collate "C"`, type: 'text' },
    { by: sql`p.id`, type: 'uuid' },
  ],
} as const;
