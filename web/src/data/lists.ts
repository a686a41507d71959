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

const WORKS = new Set(['queued', 'planning', 'building']);

/**
 * How often the tasks of a list are read again, in milliseconds: sooner while an agent works on one.
 * All pages would be read: a long list shows what has changed when it is opened anew.
 */
export const readAgain = ({
  state: { data },
}: {
  state: { data: { pages: { items: readonly { status: string }[] }[] } | undefined };
}): number | false => {
  const pages = data?.pages ?? [];
  if (pages.length > 2) return false;
  return pages.some(({ items }) => items.some(({ status }) => WORKS.has(status))) ? 4_000 : 10_000;
};
