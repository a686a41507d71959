import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import {
  instructionsBody,
  instructionsChanged,
  instructionsColumns,
  instructionsSample,
  instructionsSet,
  instructionsShown,
} from './instructions.ts';

/** Sets the instructions of a workspace. */
export const setWorkspaceInstructions = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/instructions',
  area: 'Workspaces',
  operationId: 'set_workspace_instructions',
  summary: 'Set the instructions of a workspace',
  description:
    'Replaces the instructions that every agent gets at the beginning of a session in this workspace; an empty text ' +
    'removes it. Owners and admins only. Send the `ETag` of what you have read as ' +
    '`If-Match` to avoid overwriting a later change.',
  access: onWorkspace('update_workspace'),
  params: ids('org_id'),
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
          ${instructionsSet(sql`organization`, sql`organization_id`, body.text, headers['if-match'])},
          audited as (${auditRow({
            action: 'workspace.instruct',
            requestId,
            target: sql`changed.id`,
            organization: sql`authorized.organization_id`,
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
