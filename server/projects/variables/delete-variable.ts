import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { variable } from './variable.ts';

const variableNotFound = apiError(
  404,
  'not_found',
  'The project has no variable with this name and stage: list them to see which it has',
);

/** Removes a variable of a project. Processes that run keep it. */
export const deleteVariable = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/variables/{name}',
  area: 'Projects',
  operationId: 'delete_variable',
  summary: 'Remove a variable of a project',
  description:
    'Removes the variable of this name for this stage, or the one without a stage. What runs ' +
    'already keeps it. A secret still works where it was made for: withdraw it there, too. ' +
    'Admins of the project, and the owner and admins of its workspace only.',
  access: onProject('update_project'),
  params: variable.params,
  query: variable.query,
  responses: { 204: { description: 'The variable was removed.' } },
  errors: [variableNotFound],
  handle: ({ params: { name }, query: { stage }, requestId, statement }) =>
    statement<{ removed: boolean }>(
      {
        with: sql`
          deleted as (
            delete from project_variable t using authorized
             where t.project_id = authorized.project_id and t.name = ${name}
               and t.stage is not distinct from ${stage ?? null}::text
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'variable.removed',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: variable.snapshot(sql`deleted.row`),
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select exists (select from deleted) as removed from authorized`,
      },
      ({ removed }) => {
        if (!removed) throw variableNotFound();
        return { status: 204 };
      },
    ),
});
