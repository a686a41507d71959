import type { CardSetups } from './cards/card-setups.ts';
import { onBothAccounts } from './on-both-accounts.ts';
import { attendedContract, beginAttended, HOW } from './top-ups/attended.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/** Begins a charge whose cardholder is there to confirm it. */
export const beginTopUp = ({
  topUps,
  topUpLimits: limits,
  cardSetups: { publishableKey },
}: {
  topUps: TopUps;
  topUpLimits: TopUpLimits;
  cardSetups: Pick<CardSetups, 'publishableKey'>;
}) =>
  onBothAccounts(
    {
      ...attendedContract(limits),
      method: 'POST',
      path: '/top-ups',
      limit: 'addFunds',
      handle: (context) => beginAttended(topUps, publishableKey, context),
    },
    {
      operationId: 'begin_top_up',
      summary: 'Add funds in a browser',
      description: `Charges a saved card of the caller for their own balance. ${HOW}`,
      auditDenied: { action: 'funds.add' },
    },
    {
      operationId: 'begin_workspace_top_up',
      summary: 'Add funds to a workspace in a browser',
      description:
        "Charges a saved card of the caller for the workspace's balance. Owners and admins only. " +
        HOW,
      permission: 'add_funds',
      auditDenied: { action: 'workspace.funds.add', target: 'org_id' },
    },
  );
