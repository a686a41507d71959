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

export type UsageGroup = components['schemas']['Usage']['groups'][number];

const keyOf = (org_id: Scope, ...rest: unknown[]) => ['usage', org_id ?? 'own', ...rest];

/** A page of sums, and where the next one begins. */
async function readPage(org_id: Scope, query: Query, signal: AbortSignal) {
  const { data, headers } = await (org_id === undefined
    ? guildhall.get('/api/usage', query, { signal })
    : guildhall.get('/api/organizations/{org_id}/usage', { org_id, ...query }, { signal })
  ).withResponse();
  const next = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return { ...data, cursor: new URLSearchParams(next).get('cursor') ?? undefined };
}

/** Sums of usage by one or two things, such as `project` or `member,day`. */
export const usageQuery = (org_id: Scope, group_by: string, period: UsagePeriod) =>
  infiniteQueryOptions({
    queryKey: keyOf(org_id, group_by, period),
    initialPageParam: { group_by, limit: 50, ...period } as Query,
    queryFn: ({ pageParam, signal }) => readPage(org_id, pageParam, signal),
    getNextPageParam: ({ cursor }, _pages, last) =>
      cursor === undefined ? undefined : { ...last, cursor },
    placeholderData: (former) => former,
  });

/** What everything has cost since the month began, in UTC. */
export const monthsCostQuery = (org_id: Scope) => {
  const today = new Date().toISOString().slice(0, 10);
  const period = { from: `${today.slice(0, 8)}01`, to: today };
  return queryOptions({
    queryKey: keyOf(org_id, 'month', period),
    queryFn: ({ signal }) => readPage(org_id, { limit: 1, ...period }, signal),
  });
};

/** What each day of a period has cost; days without usage are left out. */
export const dailyUsageQuery = (org_id: Scope, period: UsagePeriod) =>
  queryOptions({
    queryKey: keyOf(org_id, 'every-day', period),
    queryFn: async ({ signal }) => {
      const query: Query = { group_by: 'day', limit: 200, ...period };
      const first = await readPage(org_id, query, signal);
      const { from, to, groups } = first;
      // A period has 366 days at most.
      const more =
        first.cursor && (await readPage(org_id, { ...query, cursor: first.cursor }, signal));
      return { from, to, days: more ? [...groups, ...more.groups] : groups };
    },
    placeholderData: (former) => former,
  });
