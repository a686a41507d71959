import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** What waits for the person. */
export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => guildhall.get('/api/inbox', {}, { signal }),
  refetchInterval: 30_000,
});

/** The person's workspaces. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => guildhall.get('/api/organizations', {}, { signal }),
});

/** All projects that the person can open. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => guildhall.get('/api/projects', {}, { signal }),
});
