import type { components } from '@guildhall/client';
import { queryOptions } from '@tanstack/react-query';
import { auth, guildhall } from './api.ts';
import { queries } from './queries.ts';

export type ServiceAccount = components['schemas']['ServiceAccount'];

export const serviceAccountsQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id, 'service-accounts'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/organizations/{org_id}/service-accounts', { org_id }, { signal }),
  });

export const serviceAccountKeysQuery = (service_account_id: string) =>
  queryOptions({
    queryKey: ['service-account', service_account_id, 'keys'],
    queryFn: ({ signal }) =>
      auth.get(
        '/auth/service-accounts/{service_account_id}/keys',
        { service_account_id },
        { signal },
      ),
  });

/** What of a workspace shows its service accounts, and the keys of one. */
export async function refreshServiceAccounts(org: string, account?: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['workspace', org] }),
    ...(account === undefined
      ? []
      : [queries.invalidateQueries({ queryKey: ['service-account', account] })]),
  ]);
}
