import { RULES, updateContract, updateSettings } from './auto-reload/update-settings.ts';
import { onBothAccounts } from './on-both-accounts.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';

/**
 * Switches auto-reload on or off, or changes when and what it charges: of the caller's own balance,
 * or of a workspace's by an owner or admin, from a card of their own (ruling 10.2).
 */
export const updateAutoReload = ({ topUpLimits: limits }: { topUpLimits: TopUpLimits }) =>
  onBothAccounts(
    {
      ...updateContract(limits),
      method: 'PUT',
      path: '/auto-reload',
      handle: updateSettings,
    },
    {
      operationId: 'update_auto_reload',
      summary: 'Update auto-reload',
      description: `Sets how the caller's balance is recharged automatically. ${RULES}`,
    },
    {
      operationId: 'update_workspace_auto_reload',
      summary: "Update a workspace's auto-reload",
      description:
        "Sets how the workspace's balance is recharged automatically. Owners and admins only. " +
        `${RULES} Card and figures belong to the person who set them. Anyone else who may set ` +
        'auto-reload can switch it off with `{"enabled": false}` alone, or replace all of it: ' +
        '`threshold`, `amount`, `monthly_cap` and a card of their own, sent together. It is ' +
        'switched off when the card belongs to someone who is no longer an owner or admin, or ' +
        'does not meet the two-factor policy.',
      permission: 'add_funds',
    },
  );
