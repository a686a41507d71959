import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

/** What a page of one task reads; every key begins with the task, so that an event refreshes all. */

export const taskQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id],
    queryFn: ({ signal }) => guildhall.get('/api/tasks/{task_id}', { task_id }, { signal }),
    // What people change, such as its title or its plan, is no event of the task.
    refetchInterval: 10_000,
  });

export const messagesQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'messages'],
    queryFn: ({ signal }) =>
      guildhall.list('/api/tasks/{task_id}/messages', { task_id, limit: 200 }, { signal }).all(),
  });

export const requestsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'requests'],
    queryFn: ({ signal }) =>
      guildhall.list('/api/tasks/{task_id}/requests', { task_id, limit: 200 }, { signal }).all(),
  });

export const planQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan'],
    queryFn: ({ signal }) => guildhall.get('/api/tasks/{task_id}/plan', { task_id }, { signal }),
  });

/** The versions of the plan without their texts: who wrote and who approved each. */
export const versionsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'versions'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/plan/versions', { task_id }, { signal }),
  });

/** Whose ids stand in what a task shows. */
export const taskPeopleQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'people'],
    queryFn: ({ signal }) => guildhall.get('/api/tasks/{task_id}/people', { task_id }, { signal }),
  });

export const estimateQuery = (task_id: string, version: number) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'estimate', version],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/plan/estimate', { task_id }, { signal }),
  });

export const planVersionQuery = (task_id: string, version: number) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'version', version],
    queryFn: ({ signal }) =>
      guildhall.get(
        '/api/tasks/{task_id}/plan/versions/{version}',
        { task_id, version },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const planDiffQuery = (task_id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'diff', from, to],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/plan/diff', { task_id, from, to }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const commentsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'comments'],
    queryFn: ({ signal }) =>
      guildhall
        .list('/api/tasks/{task_id}/plan/comments', { task_id, limit: 200 }, { signal })
        .all(),
  });

/** Those that the agent is told with whatever it is sent next. */
export const openCommentsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'plan', 'comments', 'open'],
    queryFn: ({ signal }) =>
      guildhall
        .list(
          '/api/tasks/{task_id}/plan/comments',
          { task_id, resolved: false, limit: 200 },
          { signal },
        )
        .all(),
  });

/** What a task, or one commit of it, changes. */
export const diffQuery = (task_id: string, commit?: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'diff', commit ?? 'all'],
    queryFn: ({ signal }) =>
      guildhall.get(
        '/api/tasks/{task_id}/diff',
        { task_id, ...(commit === undefined ? {} : { commit }) },
        { signal },
      ),
  });

export const diffCommentsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'diff', 'comments'],
    queryFn: ({ signal }) =>
      guildhall
        .list('/api/tasks/{task_id}/diff-comments', { task_id, limit: 200 }, { signal })
        .all(),
  });

export const pullRequestQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'pull-request'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/pull-request', { task_id }, { signal }),
  });

export const checksQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'checks'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/pull-request/checks', { task_id }, { signal }),
  });

/** What it may be merged into, and whether the person may. */
export const taskMergeTargetsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'merge-targets'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/merge-targets', { task_id }, { signal }),
  });

export const mergeQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'merge'],
    queryFn: ({ signal }) => guildhall.get('/api/tasks/{task_id}/merge', { task_id }, { signal }),
  });

export const artifactsQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'artifacts'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/artifacts', { task_id }, { signal }),
  });

export const podQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'pod'],
    queryFn: ({ signal }) => guildhall.get('/api/tasks/{task_id}/pod', { task_id }, { signal }),
  });

export const podLogQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'pod', 'log'],
    queryFn: async ({ signal }) =>
      (await guildhall.download('/api/tasks/{task_id}/pod/log', { task_id }, { signal })).text(),
  });

/** Everything of a task is read again, where it is on the page: after an act, or an event. */
export const refreshTask = (task_id: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['task', task_id] });
