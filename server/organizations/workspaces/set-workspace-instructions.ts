import { onWorkspace } from '../../access/workspace.ts';
import { ids, route } from '../../http/route.ts';
import { setsInstructions } from './instructions.ts';

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
  ...setsInstructions({
    table: 'organization',
    id: 'organization_id',
    action: 'workspace.instruct',
  }),
});
