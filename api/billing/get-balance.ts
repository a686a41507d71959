import Type, { type TObject } from 'typebox';
import { ownAccount } from '../access/account.ts';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { type Answer, route } from '../http/route.ts';
import { usdText } from './ledger/money.ts';

const balance = {
  200: {
    description: 'The balance, which may be negative; `available` is what can be spent now.',
    schema: Type.Object({
      balance: Type.String({ description: 'USD' }),
      held: Type.String({ description: 'USD that running work has reserved.' }),
      available: Type.String({ description: 'USD' }),
      status: Type.Enum(['active', 'frozen']),
    }) as TObject,
    example: { balance: '25.00', held: '1.50', available: '23.50', status: 'active' },
  },
};

/** The caller's own balance. */
export const getBalance = route({
  method: 'GET',
  path: '/api/billing/balance',
  area: 'Billing',
  operationId: 'get_balance',
  summary: 'Get the balance',
  description: "The caller's prepaid balance, as decimal strings in USD.",
  access: ownAccount,
  responses: balance,
  errors: [],
  handle: ({ statement }) => statement<AccountRow>({ select: account }, answer),
});

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
  params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
  responses: balance,
  errors: [],
  handle: ({ statement }) => statement<AccountRow>({ select: account }, answer),
});

interface AccountRow {
  balance: bigint;
  held: bigint;
  status: 'active' | 'frozen';
}

const account = sql`
  select a.balance, a.held, a.status from billing_account a
    join authorized on a.id = authorized.account_id`;

function answer({ balance: total, held, status }: AccountRow): Answer {
  const free = status === 'active' && total > held ? total - held : 0n;
  const body = { balance: usdText(total), held: usdText(held), available: usdText(free), status };
  return { status: 200, body };
}
