import { onWorkspaceAccount } from '../access/workspace.ts';
import { ids, route } from '../http/route.ts';
import { attendedContract, beginAttended, HOW } from './top-ups/attended.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/** Begins a charge whose cardholder is there to confirm it. */
export const beginWorkspaceTopUp = (
  topUps: TopUps,
  limits: TopUpLimits,
  publishableKey: string | undefined,
) =>
  route({
    ...attendedContract(limits),
    method: 'POST',
    path: '/api/organizations/{org_id}/billing/top-ups',
    area: 'Workspace Billing',
    operationId: 'begin_workspace_top_up',
    summary: 'Add funds to a workspace in a browser',
    description:
      "Charges a saved card of the caller for the workspace's balance. Owners and admins only. " +
      HOW,
    access: onWorkspaceAccount('add_funds'),
    params: ids('org_id'),
    limit: 'addFunds',
    auditDenied: { action: 'workspace.funds.add', target: 'org_id' },
    handle: (context) => beginAttended(topUps, publishableKey, context),
  });
