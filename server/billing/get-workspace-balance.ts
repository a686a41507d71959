import { onWorkspaceAccount } from '../access/workspace.ts';
import { ids, route } from '../http/route.ts';
import { type Balance, balanceAnswer, balanceOfAccount, showBalance } from './ledger/balance.ts';

/** The balance of a workspace, for its owners and admins. */
export const getWorkspaceBalance = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/balance',
  area: 'Workspace Billing',
  operationId: 'get_workspace_balance',
  summary: "Get a workspace's balance",
  description:
    "The workspace's prepaid balance, as decimal strings in USD. Owners and admins only.",
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  responses: balanceAnswer,
  errors: [],
  handle: ({ statement }) => statement<Balance>({ select: balanceOfAccount }, showBalance),
});
