import type { components } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

/** What the pages of operators read; every key begins with `operator`. */

type Schemas = components['schemas'];
export type OperatedUser = Schemas['OperatedUser'];
export type OperatedWorkspace = Schemas['OperatedWorkspace'];
export type OpenTurn = Schemas['OpenTurn'];
export type OperatedWorker = Schemas['OperatedWorker'];
export type OperatedMail = Schemas['OperatedMail'];
export type FailedDelivery = Schemas['FailedDelivery'];
export type Deactivation = Schemas['Deactivation'];

export const serverQuery = queryOptions({
  queryKey: ['operator', 'server'],
  queryFn: ({ signal }) => guildhall.get('/api/operator/server', {}, { signal }),
  refetchInterval: 15_000,
});

export const settingsQuery = queryOptions({
  queryKey: ['operator', 'settings'],
  queryFn: ({ signal }) => guildhall.get('/api/operator/settings', {}, { signal }),
});

export const usersQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'users', q],
    initialPageParam: { q },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/operator/users', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
    placeholderData: (former) => former,
  });

export const allWorkspacesQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'workspaces', q],
    initialPageParam: { q },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/operator/organizations', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
    placeholderData: (former) => former,
  });

export const turnsQuery = infiniteQueryOptions({
  queryKey: ['operator', 'turns'],
  initialPageParam: {},
  queryFn: ({ pageParam, signal }) => guildhall.page('/api/operator/turns', pageParam, { signal }),
  getNextPageParam: ({ next }) => next as never,
});

export const workersQuery = infiniteQueryOptions({
  queryKey: ['operator', 'workers'],
  initialPageParam: {},
  queryFn: ({ pageParam, signal }) =>
    guildhall.page('/api/operator/workers', pageParam, { signal }),
  getNextPageParam: ({ next }) => next as never,
});

export const deadMailsQuery = infiniteQueryOptions({
  queryKey: ['operator', 'mails'],
  initialPageParam: {},
  queryFn: ({ pageParam, signal }) => guildhall.page('/api/operator/mails', pageParam, { signal }),
  getNextPageParam: ({ next }) => next as never,
});

export const failedDeliveriesQuery = infiniteQueryOptions({
  queryKey: ['operator', 'deliveries'],
  initialPageParam: {},
  queryFn: ({ pageParam, signal }) =>
    guildhall.page('/api/operator/webhook-deliveries', pageParam, { signal }),
  getNextPageParam: ({ next }) => next as never,
});

export const operatorEventsQuery = infiniteQueryOptions({
  queryKey: ['operator', 'events'],
  initialPageParam: {},
  queryFn: ({ pageParam, signal }) =>
    guildhall.page('/api/operator/audit-events', pageParam, { signal }),
  getNextPageParam: ({ next }) => next as never,
});

/** After an act: all that is shown of the server is read again. */
export const refreshOperator = () => queries.invalidateQueries({ queryKey: ['operator'] });
