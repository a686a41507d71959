import { onBothAccounts } from './on-both-accounts.ts';
import { charge, chargeContract } from './top-ups/charge.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/**
 * Charges a saved card of the caller and credits the amount to their balance, or to that of a
 * workspace for its owners and admins (spec 4, ruling 6, money.md).
 */
export const addFunds = ({
  topUps,
  topUpLimits: limits,
}: {
  topUps: TopUps;
  topUpLimits: TopUpLimits;
}) =>
  onBothAccounts(
    {
      ...chargeContract(limits),
      method: 'POST',
      path: '/add-funds',
      limit: 'addFunds',
      handle: (context) => charge(topUps, context),
    },
    {
      operationId: 'add_funds',
      summary: 'Add funds to the balance',
      description:
        "Charges a saved card and credits the amount to the caller's balance. Send an " +
        '`Idempotency-Key` to make a retry safe: at most one charge is ever made under one key. ' +
        'Without a key, an identical request (same balance, card and amount) gets the same ' +
        'charge while that is open and for 10 seconds after it succeeded. While the outcome of a ' +
        'charge is unknown the answer is 202 and the balance follows by itself.',
      auditDenied: { action: 'funds.add' },
    },
    {
      operationId: 'add_workspace_funds',
      summary: "Add funds to a workspace's balance",
      description:
        "Charges a saved card of the caller and credits the amount to the workspace's balance. " +
        'Owners and admins only. Otherwise the same as adding funds to a personal balance.',
      permission: 'add_funds',
      auditDenied: { action: 'workspace.funds.add', target: 'org_id' },
    },
  );
