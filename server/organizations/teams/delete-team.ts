import { onTeam, onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { audited } from '../../platform/audit/audit.ts';
import { team, teamChanged } from './team.ts';

/** Deletes a team; its members stay in the workspace, and its projects stay as they are. */
export const deleteTeam = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/teams/{team_id}',
  area: 'Members & Invitations',
  operationId: 'delete_team',
  summary: 'Delete a team',
  description:
    'Deletes the team. Owners and admins only. Its members stay in the workspace but lose what ' +
    'the team allowed them to do.',
  access: onTeam('delete_team'),
  // The team is gone by then.
  replayAccess: onWorkspace('delete_team'),
  params: ids('org_id', 'team_id'),
  responses: { 204: { description: 'The team was deleted.' } },
  headers: { 'If-Match': 'The ETag of the team that you have read.' },
  errors: [teamChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sql`team`, sql`team_id`, headers['if-match'], team.revision)},
          deleted as (
            delete from team t using current where t.id = (current.row).id and current.expected
            returning t as row),
          audited as (${audited('team.delete', requestId, team, sql`deleted`, 'deleted')})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        if (expected === null) throw notFound();
        if (!expected) throw teamChanged();
        return { status: 204 };
      },
    ),
});
