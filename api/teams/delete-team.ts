import { onTeam, onWorkspace } from '../access/workspace.ts';
import { audited } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { team } from './team.ts';

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
  errors: [],
  handle: ({ requestId, statement }) =>
    statement<{ deleted: boolean }>(
      {
        with: sql`
          deleted as (
            delete from team t using authorized where t.id = authorized.team_id
            returning t as row),
          audited as (${audited('team.delete', requestId, team, sql`deleted`, 'deleted')})`,
        select: sql`select exists (select from deleted) as deleted from authorized`,
      },
      (row) => {
        // Another deletion was faster.
        if (!row.deleted) throw notFound();
        return { status: 204 };
      },
    ),
});
