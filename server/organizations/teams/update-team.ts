import { onTeam } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, lockedRow, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { audited } from '../../platform/audit/audit.ts';
import { team, teamChanged, teamNameTaken } from './team.ts';

/**
 * Renames a team or changes what it is allowed to do; a field left out keeps its value (spec 2,
 * ruling 4).
 */
export const updateTeam = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/teams/{team_id}',
  area: 'Members & Invitations',
  operationId: 'update_team',
  summary: 'Update a team',
  description:
    'Renames a team or changes what it is allowed to do. Owners and admins only. A field that ' +
    'is omitted keeps its value; `{}` changes nothing. Send the `ETag` of the team you have ' +
    'read as `If-Match` to avoid overwriting a later change.',
  access: onTeam('update_team'),
  params: ids('org_id', 'team_id'),
  body: team.changes,
  sample: () => ({ body: { name: 'Renamed', can_merge_production: true } }),
  responses: { 200: team.shown('The current team.') },
  headers: { 'If-Match': 'The ETag of the team that you have read.' },
  errors: [teamNameTaken, teamChanged],
  // A change that changes nothing writes nothing, so `updated_at` and the ETag stay (ruling 4.1).
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, headers['if-match'], team.revision)},
          wanted as (select ${withChanges(sql`row`, body)} as row from current where expected),
          changed as (
            update team t
               set name = (wanted.row).name,
                   add_to_new_projects = (wanted.row).add_to_new_projects,
                   can_create_projects = (wanted.row).can_create_projects,
                   can_merge_production = (wanted.row).can_merge_production,
                   can_merge_staging = (wanted.row).can_merge_staging,
                   updated_at = ${changedAt(sql`(current.row).updated_at`)}
              from wanted, current
             where t.id = (wanted.row).id and wanted.row is distinct from current.row
            returning t as row),
          audited as (${audited('team.update', requestId, team, sql`current`)})`,
        select: sql`
          select current.expected, ${team.columns}
            from current
            left join changed on true,
                 lateral (select (coalesce(changed.row, current.row)).*) t`,
      },
      ({ expected, ...row }) => {
        if (!expected) throw teamChanged();
        return shownAs(200, row);
      },
    ),
});
