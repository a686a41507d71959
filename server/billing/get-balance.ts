import { type Balance, balanceAnswer, balanceOfAccount, showBalance } from './ledger/balance.ts';
import { onBothAccounts } from './on-both-accounts.ts';

/** The balance of the caller, and that of a workspace for its owners and admins. */
export const [getBalance, getWorkspaceBalance] = onBothAccounts(
  {
    method: 'GET',
    path: '/balance',
    responses: balanceAnswer,
    errors: [],
    handle: ({ statement }) => statement<Balance>({ select: balanceOfAccount }, showBalance),
  },
  {
    operationId: 'get_balance',
    summary: 'Get the balance',
    description: "The caller's prepaid balance, as decimal strings in USD.",
  },
  {
    operationId: 'get_workspace_balance',
    summary: "Get a workspace's balance",
    description:
      "The workspace's prepaid balance, as decimal strings in USD. Owners and admins only.",
    permission: 'see_billing',
  },
);
