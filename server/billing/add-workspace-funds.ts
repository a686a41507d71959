import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { uuid } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import { charge, chargeContract } from './top-ups/charge.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

/**
 * Charges a card of the caller and credits the amount to the workspace's balance: owners and
 * admins.
 */
export const addWorkspaceFunds = (topUps: TopUps, limits: TopUpLimits) =>
  route({
    ...chargeContract(limits),
    method: 'POST',
    path: '/api/organizations/{org_id}/billing/add-funds',
    area: 'Workspace Billing',
    operationId: 'add_workspace_funds',
    summary: "Add funds to a workspace's balance",
    description:
      "Charges a saved card of the caller and credits the amount to the workspace's balance. " +
      'Owners and admins only. Otherwise the same as adding funds to a personal balance.',
    access: onWorkspaceAccount('add_funds'),
    params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
    limit: 'addFunds',
    auditDenied: { action: 'workspace.funds.add', target: 'org_id' },
    handle: (context) => charge(topUps, context),
  });
