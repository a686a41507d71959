import { onDeletedRoutine, onRoutine } from '../../access/routine.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { routine, routineChanged } from './routine.ts';

/** Deletes a routine with the list of its runs. */
export const deleteRoutine = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/routines/{routine_id}',
  area: 'Tasks',
  operationId: 'delete_routine',
  summary: 'Delete a routine',
  description:
    'Deletes the routine with the list of its runs; the tasks that it has begun stay. Admins of the ' +
    'project, and the owner and admins of its workspace only.',
  access: onRoutine('manage_routines'),
  replayAccess: onDeletedRoutine('manage_routines'),
  params: ids('project_id', 'routine_id'),
  responses: { 204: { description: 'The routine was deleted.' } },
  headers: { 'If-Match': 'The ETag of the routine that you have read.' },
  errors: [routineChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sql`routine`, sql`routine_id`, headers['if-match'])},
          deleted as (
            delete from routine t using current, authorized
             where t.id = (current.row).id and current.expected
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'routine.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: routine.snapshot(sql`deleted.row`),
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        if (expected === null) throw notFound();
        if (!expected) throw routineChanged();
        return { status: 204 };
      },
    ),
});
