import { onTeam } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { team } from './team.ts';

/** One team (spec: Team). */
export const getTeam = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/teams/{team_id}',
  area: 'Members & Invitations',
  operationId: 'get_team',
  summary: 'Get a team',
  description: 'The team, for every member of its workspace.',
  access: onTeam('see_members'),
  params: ids('org_id', 'team_id'),
  responses: { 200: team.shown('The team.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${team.columns}
            from authorized join team t on t.id = authorized.team_id`,
      },
      (row) => shownAs(200, row),
    ),
});
