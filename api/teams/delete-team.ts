import { onTeam, onWorkspace } from '../access/workspace.ts';
import { audited } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { revision } from '../http/change.ts';
import { notFound } from '../http/errors.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { team, teamChanged } from './team.ts';

/** Deletes a team; its members stay in the workspace, and its projects stay as they are. */
export const deleteTeam = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/teams/{team_id}',
  area: 'Members & Invitations',
  operationId: 'delete_team',
  summary: 'Delete a team',
  description:
    'Deletes the team. Owners and admins only. Its members stay in the workspace but lose what the team allowed them to do.',
  access: onTeam('delete_team'),
  // The team is gone by then.
  replayAccess: onWorkspace('delete_team'),
  params: ids('org_id', 'team_id'),
  responses: { 204: { description: 'The team was deleted.' } },
  headers: { 'If-Match': 'The ETag of the team that you have read.' },
  errors: [teamChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null; deleted: boolean }>(
      {
        with: sql`
          current as materialized (
            select t.id,
                   ${matches(headers['if-match'], revision(sql`t.updated_at`))} as expected
              from team t join authorized on t.id = authorized.team_id for update of t),
          deleted as (
            delete from team t using current where t.id = current.id and current.expected
            returning t as row),
          audited as (${audited('team.delete', requestId, team, sql`deleted`, 'deleted')})`,
        select: sql`
          select (select expected from current) as expected,
                 exists (select from deleted) as deleted
            from authorized`,
      },
      (row) => {
        if (row.expected === false) throw teamChanged();
        // Another deletion was faster.
        if (!row.deleted) throw notFound();
        return { status: 204 };
      },
    ),
});
