import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { ids, route } from '../http/route.ts';
import { answer, type Limits, limitsAnswer, limitsOf } from './spend-limits/limits.ts';

/** The spend limits of a workspace's balance, for its owners and admins. */
export const getWorkspaceSpendLimits = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/spend-limits',
  area: 'Workspace Billing',
  operationId: 'get_workspace_spend_limits',
  summary: "Get a workspace's spend limits",
  description:
    "What may be spent of the workspace's balance in a calendar month (UTC), as a whole and for " +
    'single projects, people and tasks, with what was spent so far. Owners and admins only.',
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  responses: limitsAnswer,
  errors: [],
  handle: ({ statement }) =>
    statement<Limits>({ select: limitsOf(sql`select account_id as id from authorized`) }, answer),
});
