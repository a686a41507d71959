import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { lockSubjects, RULES, updateContract, updateLimits } from './spend-limits/update-limits.ts';

/** Sets what may be spent of the caller's own balance in a month. */
export const updateSpendLimits = route({
  ...updateContract,
  method: 'PUT',
  path: '/api/billing/spend-limits',
  area: 'Billing',
  operationId: 'update_spend_limits',
  summary: 'Update the spend limits',
  description:
    "Limits what may be spent of the caller's balance in a calendar month (UTC): as a whole " +
    '(`balance`), for one of their personal projects, for what a person asked for there, or for ' +
    `a task. ${RULES}`,
  access: { ...ownAccount, locks: lockSubjects },
  sample: () => ({ body: { limits: [{ subject: 'balance', amount: '100.00' }] } }),
  handle: updateLimits,
});
