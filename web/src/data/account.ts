import { queryOptions } from '@tanstack/react-query';
import { auth, guildhall } from './api.ts';
import { queries } from './queries.ts';

/** What the pages of the account read; every key begins with the account. */

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => guildhall.get('/api/account', {}, { signal }),
});

export const keysQuery = queryOptions({
  queryKey: ['account', 'keys'],
  queryFn: ({ signal }) => auth.get('/auth/keys', {}, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => auth.get('/auth/sessions', {}, { signal }),
});

export const factorsQuery = queryOptions({
  queryKey: ['account', 'factors'],
  queryFn: ({ signal }) => auth.get('/auth/factors', {}, { signal }),
});

export const identitiesQuery = queryOptions({
  queryKey: ['account', 'identities'],
  queryFn: ({ signal }) => auth.get('/auth/identities', {}, { signal }),
});

export const applicationsQuery = queryOptions({
  queryKey: ['account', 'applications'],
  queryFn: ({ signal }) => auth.get('/auth/applications', {}, { signal }),
});

/** After a change: all of it is read again, and what the session says of it. */
export async function refreshAccount(): Promise<void> {
  await Promise.all(
    ['account', 'session'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
  );
}
