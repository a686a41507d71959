import type { components, operations } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import type { Scope } from './billing.ts';

type Query = NonNullable<operations['get_usage']['parameters']['query']>;

/** Days in UTC; the API's last 30 unless given. */
export interface UsagePeriod {
  from?: string | undefined;
  to?: string | undefined;
}

/** Whose usage: a project's, a workspace's, or without both the person's own. */
export interface UsageOf {
  org?: Scope;
  project?: string | undefined;
}

export type UsageGroup = components['schemas']['Usage']['groups'][number];

const keyOf = ({ org, project }: UsageOf, ...rest: unknown[]) => [
  'usage',
  project ?? org ?? 'own',
  ...rest,
];

const read = ({ org, project }: UsageOf, query: Query, signal: AbortSignal) => {
  if (project !== undefined)
    return guildhall.get(
      '/api/projects/{project_id}/usage',
      { ...query, project_id: project },
      { signal },
    );
  return org === undefined
    ? guildhall.get('/api/usage', query, { signal })
    : guildhall.get('/api/organizations/{org_id}/usage', { org_id: org, ...query }, { signal });
};

/** A page of sums, and where the next one begins. */
async function readPage(whose: UsageOf, query: Query, signal: AbortSignal) {
  const { data, headers } = await read(whose, query, signal).withResponse();
  const next = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return { ...data, cursor: new URLSearchParams(next).get('cursor') ?? undefined };
}

/** Sums of usage by one or two things, such as `project` or `member,day`. */
export const usageQuery = (whose: UsageOf, group_by: string, period: UsagePeriod) =>
  infiniteQueryOptions({
    queryKey: keyOf(whose, group_by, period),
    initialPageParam: { group_by, limit: 50, ...period } as Query,
    queryFn: ({ pageParam, signal }) => readPage(whose, pageParam, signal),
    getNextPageParam: ({ cursor }, _pages, last) =>
      cursor === undefined ? undefined : { ...last, cursor },
    placeholderData: (former) => former,
  });

/** What everything has cost since the month began, in UTC. */
export const monthsCostQuery = (whose: UsageOf) => {
  const today = new Date().toISOString().slice(0, 10);
  const period = { from: `${today.slice(0, 8)}01`, to: today };
  return queryOptions({
    queryKey: keyOf(whose, 'month', period),
    queryFn: ({ signal }) => readPage(whose, { limit: 1, ...period }, signal),
  });
};

/** What each day of a period has cost; days without usage are left out. */
export const dailyUsageQuery = (whose: UsageOf, period: UsagePeriod) =>
  queryOptions({
    queryKey: keyOf(whose, 'every-day', period),
    queryFn: async ({ signal }) => {
      const query: Query = { group_by: 'day', limit: 200, ...period };
      const first = await readPage(whose, query, signal);
      const { from, to, groups } = first;
      // A period has 366 days at most.
      const more =
        first.cursor && (await readPage(whose, { ...query, cursor: first.cursor }, signal));
      return { from, to, days: more ? [...groups, ...more.groups] : groups };
    },
    placeholderData: (former) => former,
  });

/** The turns of a task with what each has cost, the newest first. */
export const turnsQuery = (task_id: string) =>
  infiniteQueryOptions({
    queryKey: ['task', task_id, 'turns'],
    initialPageParam: { task_id, limit: 50 },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/tasks/{task_id}/turns', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
  });
