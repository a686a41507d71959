import { onBothAccounts } from './on-both-accounts.ts';
import { lockSubjects, RULES, updateContract, updateLimits } from './spend-limits/update-limits.ts';

/** Sets what may be spent in a month, of the caller's own balance or of a workspace's. */
export const [updateSpendLimits, updateWorkspaceSpendLimits] = onBothAccounts(
  {
    ...updateContract,
    method: 'PUT',
    path: '/spend-limits',
    locks: lockSubjects,
    handle: updateLimits,
  },
  {
    operationId: 'update_spend_limits',
    summary: 'Update the spend limits',
    description:
      "Limits what may be spent of the caller's balance in a calendar month (UTC): as a whole " +
      '(`balance`), for one of their personal projects, for what a person asked for there, or for ' +
      `a task. ${RULES}`,
    sample: () => ({ body: { limits: [{ subject: 'balance', amount: '100.00' }] } }),
  },
  {
    operationId: 'update_workspace_spend_limits',
    summary: "Update a workspace's spend limits",
    description:
      "Limits what may be spent of the workspace's balance in a calendar month (UTC): as a whole " +
      '(`balance`), for a project, for what a member or collaborator asked for, or for a task. ' +
      `Owners and admins only. ${RULES}`,
    permission: 'set_spend_limits',
    sample: ({ project_id, user_id }) => ({
      body: {
        limits: [
          { subject: 'balance', amount: '500.00' },
          { subject: 'project', subject_id: project_id, amount: 100 },
          { subject: 'member', subject_id: user_id, amount: 50 },
        ],
      },
    }),
  },
);
