import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** How many entries of the inbox are read at first, and each time that the end comes near. */
const ENTRIES = 50;

const inbox = (key: string[], first: { limit: number; set_aside?: boolean }) =>
  infiniteQueryOptions({
    queryKey: ['inbox', ...key],
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) => guildhall.page('/api/inbox', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
    // All pages would be read again: a long list shows what has changed when it is opened anew.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : 30_000),
  });

/** What waits for the person. The first page is asked for before this file is there (`begun.ts`). */
export const inboxQuery = inbox([], { limit: ENTRIES });

/** What the person has set aside of it. */
export const setAsideQuery = inbox(['set-aside'], { limit: ENTRIES, set_aside: true });

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

/** What no change says, such as that no worker is there, is seen after this time. */
export const ASKED_LIVE_MS = 60_000;

/**
 * How often the tasks of a list are read again, in milliseconds: sooner while an agent works on one,
 * and seldom while the stream of changes is open. All pages would be read: a long list shows what has
 * changed when the stream says so, or when it is opened anew.
 */
export const readAgain =
  (live: boolean) =>
  ({
    state: { data },
  }: {
    state: { data: { pages: { items: readonly { status: string }[] }[] } | undefined };
  }): number | false => {
    const pages = data?.pages ?? [];
    if (pages.length > 2) return false;
    if (live) return ASKED_LIVE_MS;
    return pages.some(({ items }) => items.some(({ status }) => WORKS.has(status)))
      ? 4_000
      : 10_000;
  };
