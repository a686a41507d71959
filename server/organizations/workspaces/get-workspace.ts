import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { asSeenByCaller, workspace } from './workspace.ts';

/** One workspace, and what the caller may do there. */
export const getWorkspace = route({
  method: 'GET',
  path: '/api/organizations/{org_id}',
  area: 'Workspaces',
  operationId: 'get_workspace',
  summary: 'Get a workspace',
  description: 'The workspace, for its members, with what the caller may do there.',
  access: onWorkspace('see_workspace'),
  params: ids('org_id'),
  responses: { 200: workspace.shown('The workspace.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${workspace.columns}
            from authorized join organization t on t.id = authorized.organization_id
            ${asSeenByCaller}`,
      },
      (row) => shownAs(200, row),
    ),
});
