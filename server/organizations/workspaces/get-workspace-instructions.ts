import { onWorkspace } from '../../access/workspace.ts';
import { ids, route } from '../../http/route.ts';
import { getsInstructions } from './instructions.ts';

/** The instructions of a workspace, for every agent that works there. */
export const getWorkspaceInstructions = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/instructions',
  area: 'Workspaces',
  operationId: 'get_workspace_instructions',
  summary: 'Get the instructions of a workspace',
  description:
    'The instructions that every agent gets at the beginning of a session in this workspace, before everything ' +
    'else. Members of the workspace may read them.',
  access: onWorkspace('see_workspace'),
  params: ids('org_id'),
  ...getsInstructions({ table: 'organization', id: 'organization_id' }),
});
