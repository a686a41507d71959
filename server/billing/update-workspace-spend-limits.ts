import { onWorkspaceAccount } from '../access/workspace.ts';
import { ids, route } from '../http/route.ts';
import { lockSubjects, RULES, updateContract, updateLimits } from './spend-limits/update-limits.ts';

/** Sets what may be spent of a workspace's balance in a month. */
export const updateWorkspaceSpendLimits = route({
  ...updateContract,
  method: 'PUT',
  path: '/api/organizations/{org_id}/billing/spend-limits',
  area: 'Workspace Billing',
  operationId: 'update_workspace_spend_limits',
  summary: "Update a workspace's spend limits",
  description:
    "Limits what may be spent of the workspace's balance in a calendar month (UTC): as a whole " +
    '(`balance`), for a project, for what a member or collaborator asked for, or for a task. ' +
    `Owners and admins only. ${RULES}`,
  access: { ...onWorkspaceAccount('set_spend_limits'), locks: lockSubjects },
  params: ids('org_id'),
  sample: ({ project_id, user_id }) => ({
    body: {
      limits: [
        { subject: 'balance', amount: '500.00' },
        { subject: 'project', subject_id: project_id, amount: 100 },
        { subject: 'member', subject_id: user_id, amount: 50 },
      ],
    },
  }),
  handle: updateLimits,
});
