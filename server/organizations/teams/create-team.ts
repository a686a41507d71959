import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { audited } from '../../platform/audit/audit.ts';
import { team, teamNameTaken } from './team.ts';

const { name, ...flags } = team.writable;

/** Makes a team without members or projects. */
export const createTeam = route({
  method: 'POST',
  path: '/api/organizations/{org_id}/teams',
  area: 'Members & Invitations',
  operationId: 'create_team',
  summary: 'Create a team',
  description:
    'Creates a team. Owners and admins only. Permissions that are omitted are not granted.',
  access: onWorkspace('create_team'),
  params: ids('org_id'),
  body: Type.Object(
    { name, ...Type.Partial(Type.Object(flags)).properties },
    { additionalProperties: false },
  ),
  sample: () => ({ body: { name: 'Core', can_merge_staging: true } }),
  responses: { 201: team.shown('The new team.', ['ETag', 'Location']) },
  errors: [teamNameTaken],
  handle: ({ params, body, requestId, statement }) =>
    statement<Shown & { id: string }>(
      {
        with: sql`
          changed as (
            insert into team as t
                   (organization_id, name, add_to_new_projects, can_create_projects,
                    can_merge_production, can_merge_staging)
            select organization_id, ${body.name}, ${body.add_to_new_projects ?? false},
                   ${body.can_create_projects ?? false}, ${body.can_merge_production ?? false},
                   ${body.can_merge_staging ?? false}
              from authorized
            returning t as row),
          audited as (${audited('team.create', requestId, team)})`,
        select: sql`
          select ${team.columns}, t.id
            from changed, lateral (select (changed.row).*) t`,
      },
      (row) => shownAs(201, row, `/api/organizations/${params.org_id}/teams/${row.id}`),
    ),
});
