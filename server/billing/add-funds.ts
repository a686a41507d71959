import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { charge, chargeContract } from './top-ups/charge.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/**
 * Charges a saved card and credits the amount to the caller's balance (spec 4, ruling 6, money.md).
 */
export const addFunds = (topUps: TopUps, limits: TopUpLimits) =>
  route({
    ...chargeContract(limits),
    method: 'POST',
    path: '/api/billing/add-funds',
    area: 'Billing',
    operationId: 'add_funds',
    summary: 'Add funds to the balance',
    description:
      "Charges a saved card and credits the amount to the caller's balance. Send an " +
      '`Idempotency-Key` to make a retry safe: at most one charge is ever made under one key. ' +
      'Without a key, an identical request (same balance, card and amount) gets the same ' +
      'charge while that is open and for 10 seconds after it succeeded. While the outcome of a ' +
      'charge is unknown the answer is 202 and the balance follows by itself.',
    access: ownAccount,
    limit: 'addFunds',
    auditDenied: { action: 'funds.add' },
    handle: (context) => charge(topUps, context),
  });
