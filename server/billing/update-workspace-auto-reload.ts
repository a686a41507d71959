import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { uuid } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import { RULES, updateContract, updateSettings } from './auto-reload/update-settings.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';

/**
 * Sets when and what is charged for a workspace's balance: by an owner or admin, from a card of
 * their own (ruling 10.2).
 */
export const updateWorkspaceAutoReload = (limits: TopUpLimits) =>
  route({
    ...updateContract(limits),
    method: 'PUT',
    path: '/api/organizations/{org_id}/billing/auto-reload',
    area: 'Workspace Billing',
    operationId: 'update_workspace_auto_reload',
    summary: "Update a workspace's auto-reload",
    description:
      "Sets how the workspace's balance is recharged automatically. Owners and admins only. " +
      `${RULES} Card and figures belong to the person who set them. Anyone else who may set ` +
      'auto-reload can switch it off with `{"enabled": false}` alone, or replace all of it: `threshold`, `amount`, ' +
      '`monthly_cap` and a card of their own, sent together. It is switched off when the card ' +
      'belongs to someone who is no longer an owner or admin, or does not meet the two-factor ' +
      'policy.',
    access: onWorkspaceAccount('add_funds'),
    params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
    handle: updateSettings,
  });
