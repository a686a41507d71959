import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import {
  instructionsBody,
  instructionsChanged,
  instructionsColumns,
  instructionsSample,
  instructionsSet,
  instructionsShown,
} from '../organizations/index.ts';
import { auditRow } from '../platform/audit/audit.ts';

/** Sets the instructions of a project. */
export const setProjectInstructions = route({
  method: 'PUT',
  path: '/api/projects/{project_id}/instructions',
  area: 'Projects',
  operationId: 'set_project_instructions',
  summary: 'Set the instructions of a project',
  description:
    'Replaces the instructions that every agent gets at the beginning of a session in this project; an empty text ' +
    'removes it. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of what you have read as ' +
    '`If-Match` to avoid overwriting a later change.',
  access: onProject('update_project'),
  params: ids('project_id'),
  body: instructionsBody,
  bodyLimit: 128 * 1024,
  sample: instructionsSample,
  responses: { 200: instructionsShown('The current instructions.') },
  headers: { 'If-Match': 'The ETag of the instructions that you have read.' },
  errors: [instructionsChanged],
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean | null }>(
      {
        with: sql`
          ${instructionsSet(sql`project`, sql`project_id`, body.text, headers['if-match'])},
          audited as (${auditRow({
            action: 'project.instruct',
            requestId,
            target: sql`changed.id`,
            organization: sql`authorized.organization_id`,
            project: sql`authorized.project_id`,
            before: sql`jsonb_build_object('instructions', changed.before)`,
            after: sql`jsonb_build_object('instructions', changed.after)`,
            from: sql`changed cross join authorized`,
          })})`,
        select: sql`
          select current.expected,
                 ${instructionsColumns(sql`nullif(${body.text}::text, '')`)}
            from authorized left join current on true`,
      },
      ({ expected, ...shown }) => {
        if (expected === null) throw notFound();
        if (!expected) throw instructionsChanged();
        return shownAs(200, shown);
      },
    ),
});
