import { sql } from '../db/sql.ts';
import { onBothAccounts } from './on-both-accounts.ts';
import { answer, type Limits, limitsAnswer, limitsOf } from './spend-limits/limits.ts';

/** The spend limits of the caller's own balance, and of a workspace's for its owners and admins. */
export const [getSpendLimits, getWorkspaceSpendLimits] = onBothAccounts(
  {
    method: 'GET',
    path: '/spend-limits',
    responses: limitsAnswer,
    errors: [],
    handle: ({ statement }) =>
      statement<Limits>({ select: limitsOf(sql`select account_id as id from authorized`) }, answer),
  },
  {
    operationId: 'get_spend_limits',
    summary: 'Get the spend limits',
    description:
      "What may be spent of the caller's balance in a calendar month (UTC), as a whole and for " +
      'single projects, people and tasks, with what was spent so far. Without a limit, the ' +
      'balance alone bounds what is spent.',
  },
  {
    operationId: 'get_workspace_spend_limits',
    summary: "Get a workspace's spend limits",
    description:
      "What may be spent of the workspace's balance in a calendar month (UTC), as a whole and for " +
      'single projects, people and tasks, with what was spent so far. Owners and admins only.',
    permission: 'see_billing',
  },
);
