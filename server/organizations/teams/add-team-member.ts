import { onTeamAndMember } from '../../access/membership.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { linked, recordLink } from './links.ts';

/** Puts a member of the workspace into a team. */
export const addTeamMember = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/teams/{team_id}/members/{user_id}',
  area: 'Members & Invitations',
  operationId: 'add_team_member',
  summary: 'Add a member to a team',
  description:
    'Puts a member of the workspace into the team. Owners and admins only. Nothing changes if ' +
    'they are in it already.',
  access: onTeamAndMember('manage_team'),
  params: ids('org_id', 'team_id', 'user_id'),
  responses: { 204: { description: 'The member is in the team.' } },
  errors: [],
  // The membership is locked after the team, as in every other change, and so does not end before
  // the commit.
  handle: ({ params, requestId, statement }) =>
    statement<{ found: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, undefined)},
          person as materialized (
            select m.user_id
              from current
              join membership m on m.organization_id = (current.row).organization_id
             where m.user_id = ${params.user_id} for key share of m),
          added as (
            insert into team_member (team_id, organization_id, user_id)
            select (current.row).id, (current.row).organization_id, user_id
              from current cross join person
            on conflict do nothing
            returning team_id, organization_id, user_id),
          ${recordLink(sql`added`, {
            action: 'team.add_member',
            requestId,
            before: sql`null`,
            after: sql`jsonb_build_object('user_id', added.user_id)`,
          })}`,
        select: sql`
          select exists (select from person) as found from authorized`,
      },
      linked,
    ),
});
