import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { type Balance, balanceAnswer, balanceOfAccount, showBalance } from './ledger/balance.ts';

/** The caller's own balance. */
export const getBalance = route({
  method: 'GET',
  path: '/api/billing/balance',
  area: 'Billing',
  operationId: 'get_balance',
  summary: 'Get the balance',
  description: "The caller's prepaid balance, as decimal strings in USD.",
  access: ownAccount,
  responses: balanceAnswer,
  errors: [],
  handle: ({ statement }) => statement<Balance>({ select: balanceOfAccount }, showBalance),
});
