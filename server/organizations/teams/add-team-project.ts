import { onTeamAndProject } from '../../access/membership.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { linked, recordLink } from './links.ts';

/** Gives a project of the workspace to a team. */
export const addTeamProject = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/teams/{team_id}/projects/{project_id}',
  area: 'Members & Invitations',
  operationId: 'add_team_project',
  summary: 'Add a project to a team',
  description:
    'Adds a project of the workspace to those of the team. Owners and admins only. Nothing ' +
    'changes if it is one already.',
  access: onTeamAndProject('manage_team'),
  params: ids('org_id', 'team_id', 'project_id'),
  responses: { 204: { description: 'The project is one of the team.' } },
  errors: [],
  // The project is locked after the team, as in every other change, and so is neither deleted nor
  // transferred before the commit.
  handle: ({ params, requestId, statement }) =>
    statement<{ found: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, undefined)},
          wanted as materialized (
            select p.id
              from current
              join project p on p.organization_id = (current.row).organization_id
             where p.id = ${params.project_id} for key share of p),
          added as (
            insert into team_project (team_id, organization_id, project_id)
            select (current.row).id, (current.row).organization_id, wanted.id
              from current cross join wanted
            on conflict do nothing
            returning team_id, organization_id, project_id),
          ${recordLink(sql`added`, {
            action: 'team.add_project',
            requestId,
            project: sql`added.project_id`,
            before: sql`null`,
            after: sql`jsonb_build_object('project_id', added.project_id)`,
          })}`,
        select: sql`
          select exists (select from wanted) as found from authorized`,
      },
      linked,
    ),
});
