import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { team } from './team.ts';

/** The teams of a workspace, by name. */
export const listTeams = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/teams',
  area: 'Members & Invitations',
  operationId: 'list_teams',
  summary: 'List teams',
  description: 'The teams of the workspace, sorted by name. Every member may see them.',
  access: onWorkspace('see_members'),
  params: ids('org_id'),
  query: Type.Object(paging),
  responses: { 200: team.listed('By name.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(teams, query) }, page(url, query.limit)),
});

const teams = {
  json: team.json,
  rows: sql`from authorized join team t using (organization_id) where true`,
  order: [
    { by: sql`lower(t.name) collate "C"`, type: 'text' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
