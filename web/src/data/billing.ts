import type { components, operations } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

/** What pages of money read; every key begins with `billing` and whose money it is. */

/** Whose money: that of a workspace, by its id, or the person's own. */
export type Scope = string | undefined;

const keyOf = (org_id: Scope, ...rest: unknown[]) => ['billing', org_id ?? 'own', ...rest];

export const balanceQuery = (org_id: Scope) =>
  queryOptions({
    queryKey: keyOf(org_id, 'balance'),
    queryFn: ({ signal }) =>
      org_id === undefined
        ? guildhall.get('/api/billing/balance', {}, { signal })
        : guildhall.get('/api/organizations/{org_id}/billing/balance', { org_id }, { signal }),
  });

/** The settings, and their version. */
export const autoReloadQuery = (org_id: Scope) =>
  queryOptions({
    queryKey: keyOf(org_id, 'auto-reload'),
    queryFn: async ({ signal }) => {
      const { data, etag = '' } = await (org_id === undefined
        ? guildhall.get('/api/billing/auto-reload', {}, { signal })
        : guildhall.get('/api/organizations/{org_id}/billing/auto-reload', { org_id }, { signal })
      ).withResponse();
      return { ...data, etag };
    },
  });

/** The person's own saved cards; a balance is never charged to a card of another person by hand. */
export const cardsQuery = queryOptions({
  queryKey: keyOf(undefined, 'cards'),
  queryFn: ({ signal }) => guildhall.get('/api/billing/payment-methods', {}, { signal }),
});

export type Card = components['schemas']['SavedCard'];

/** The cards that people have shared with a workspace. */
export const sharedCardsQuery = (org_id: string) =>
  queryOptions({
    queryKey: keyOf(org_id, 'cards'),
    queryFn: ({ signal }) =>
      guildhall.get('/api/organizations/{org_id}/billing/payment-methods', { org_id }, { signal }),
  });

/** Which transactions: of a kind, and of days (UTC). */
export interface TransactionFilter {
  type?: TransactionKind | undefined;
  from?: string | undefined;
  to?: string | undefined;
}
type TransactionQuery = NonNullable<operations['list_transactions']['parameters']['query']>;
export type TransactionKind = NonNullable<TransactionQuery['type']>;

export const transactionsQuery = (org_id: Scope, filter: TransactionFilter) =>
  infiniteQueryOptions({
    queryKey: keyOf(org_id, 'transactions', filter),
    initialPageParam: { limit: 50, ...filter },
    queryFn: ({ pageParam, signal }) =>
      org_id === undefined
        ? guildhall.page('/api/billing/transactions', pageParam, { signal })
        : guildhall.page(
            '/api/organizations/{org_id}/billing/transactions',
            { org_id, ...pageParam },
            { signal },
          ),
    getNextPageParam: ({ next }) => next as never,
  });

/** The limits of a month, and their version. */
export const spendLimitsQuery = (org_id: Scope) =>
  queryOptions({
    queryKey: keyOf(org_id, 'spend-limits'),
    queryFn: async ({ signal }) => {
      const { data, etag = '' } = await (org_id === undefined
        ? guildhall.get('/api/billing/spend-limits', {}, { signal })
        : guildhall.get('/api/organizations/{org_id}/billing/spend-limits', { org_id }, { signal })
      ).withResponse();
      return { ...data, etag };
    },
  });

export const invoicesQuery = (org_id: Scope) =>
  infiniteQueryOptions({
    queryKey: keyOf(org_id, 'invoices'),
    initialPageParam: { limit: 50 },
    queryFn: ({ pageParam, signal }) =>
      org_id === undefined
        ? guildhall.page('/api/billing/invoices', pageParam, { signal })
        : guildhall.page(
            '/api/organizations/{org_id}/billing/invoices',
            { org_id, ...pageParam },
            { signal },
          ),
    getNextPageParam: ({ next }) => next as never,
  });

/** What invoices say of the customer, and its version. */
export const billingDetailsQuery = (org_id: Scope) =>
  queryOptions({
    queryKey: keyOf(org_id, 'details'),
    queryFn: async ({ signal }) => {
      const { data, etag = '' } = await (org_id === undefined
        ? guildhall.get('/api/billing/details', {}, { signal })
        : guildhall.get('/api/organizations/{org_id}/billing/details', { org_id }, { signal })
      ).withResponse();
      return { ...data, etag };
    },
  });

/** After money has moved, or a setting of it has changed. */
export const refreshBilling = (org_id: Scope): Promise<void> =>
  queries.invalidateQueries({ queryKey: keyOf(org_id) });
