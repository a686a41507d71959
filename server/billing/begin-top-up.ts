import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { attendedContract, beginAttended, HOW } from './top-ups/attended.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/** Begins a charge whose cardholder is there to confirm it. */
export const beginTopUp = (
  topUps: TopUps,
  limits: TopUpLimits,
  publishableKey: string | undefined,
) =>
  route({
    ...attendedContract(limits),
    method: 'POST',
    path: '/api/billing/top-ups',
    area: 'Billing',
    operationId: 'begin_top_up',
    summary: 'Add funds in a browser',
    description: `Charges a saved card of the caller for their own balance. ${HOW}`,
    access: ownAccount,
    limit: 'addFunds',
    auditDenied: { action: 'funds.add' },
    handle: (context) => beginAttended(topUps, publishableKey, context),
  });
