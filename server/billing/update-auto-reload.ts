import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { RULES, updateContract, updateSettings } from './auto-reload/update-settings.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';

/**
 * Switches auto-reload of the caller's own balance on or off, or changes when and what it charges.
 */
export const updateAutoReload = (limits: TopUpLimits) =>
  route({
    ...updateContract(limits),
    method: 'PUT',
    path: '/api/billing/auto-reload',
    area: 'Billing',
    operationId: 'update_auto_reload',
    summary: 'Update auto-reload',
    description: `Sets how the caller's balance is recharged automatically. ${RULES}`,
    access: ownAccount,
    handle: updateSettings,
  });
