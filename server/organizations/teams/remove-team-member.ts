import { onTeamAndMember } from '../../access/membership.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { linked, recordLink } from './links.ts';

/** Takes a member of the workspace out of a team. */
export const removeTeamMember = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/teams/{team_id}/members/{user_id}',
  area: 'Members & Invitations',
  operationId: 'remove_team_member',
  summary: 'Remove a member from a team',
  description:
    'Takes a member of the workspace out of the team; they stay in the workspace. Owners and ' +
    'admins only. Nothing changes if they are not in it.',
  access: onTeamAndMember('manage_team'),
  params: ids('org_id', 'team_id', 'user_id'),
  responses: { 204: { description: 'The member is not in the team.' } },
  errors: [],
  handle: ({ params, requestId, statement }) =>
    statement<{ found: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, undefined)},
          removed as (
            delete from team_member tm using current
             where tm.team_id = (current.row).id and tm.user_id = ${params.user_id}
            returning tm.team_id, tm.organization_id, tm.user_id),
          ${recordLink(sql`removed`, {
            action: 'team.remove_member',
            requestId,
            before: sql`jsonb_build_object('user_id', removed.user_id)`,
            after: sql`null`,
          })}`,
        select: sql`select exists (select from current) as found from authorized`,
      },
      linked,
    ),
});
