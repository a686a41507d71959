import { onTeamAndProject } from '../../access/membership.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { linked, recordLink } from './links.ts';

/** Takes a project of the workspace away from a team. */
export const removeTeamProject = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/teams/{team_id}/projects/{project_id}',
  area: 'Members & Invitations',
  operationId: 'remove_team_project',
  summary: 'Remove a project from a team',
  description:
    'Takes a project of the workspace away from the team; the project itself stays as it is. ' +
    'Owners and admins only. Nothing changes if it is not one of the team.',
  access: onTeamAndProject('manage_team'),
  params: ids('org_id', 'team_id', 'project_id'),
  responses: { 204: { description: 'The project is not one of the team.' } },
  errors: [],
  handle: ({ params, requestId, statement }) =>
    statement<{ found: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, undefined)},
          removed as (
            delete from team_project tp using current
             where tp.team_id = (current.row).id and tp.project_id = ${params.project_id}
            returning tp.team_id, tp.organization_id, tp.project_id),
          ${recordLink(sql`removed`, {
            action: 'team.remove_project',
            requestId,
            project: sql`removed.project_id`,
            before: sql`jsonb_build_object('project_id', removed.project_id)`,
            after: sql`null`,
          })}`,
        select: sql`select exists (select from current) as found from authorized`,
      },
      linked,
    ),
});
