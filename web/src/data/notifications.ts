import type { components, operations } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

export type NotificationSettings = components['schemas']['NotificationSettings'];
type State = components['schemas']['TaskSubscription']['state'];
type Changes =
  operations['update_notification_settings']['requestBody']['content']['application/json'];
type Kind = NotificationSettings['events_off'][number];

/** What a person can be told of, in the order of the page, each with its name. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  'task.plan_waiting': 'A plan waits for approval',
  'task.question_asked': 'An agent asks a question',
  'task.permission_asked': 'An agent asks for a permission',
  'comment.mentioned': 'Somebody mentions you in a comment, as @you@example.com',
  'task.ready': 'A task is ready',
  'task.failed': 'A task has failed',
  'task.paused': 'A task is paused',
  'task.checks_failed': 'Checks have failed',
  'task.merged': 'A task was merged',
  'deploy.failed': 'A deploy has failed',
};

export const KINDS = Object.keys(KIND_NAMES) as Kind[];

export const settingsQuery = queryOptions({
  queryKey: ['account', 'notifications'],
  queryFn: ({ signal }) => guildhall.get('/api/account/notifications', {}, { signal }),
});

export async function saveSettings(body: Changes): Promise<void> {
  queries.setQueryData(
    settingsQuery.queryKey,
    await guildhall.put('/api/account/notifications', { body }),
  );
}

export const mutedQuery = infiniteQueryOptions({
  queryKey: ['account', 'notifications', 'muted'],
  initialPageParam: { limit: 50 },
  queryFn: ({ pageParam, signal }) =>
    guildhall.page('/api/account/notifications/muted', pageParam, { signal }),
  getNextPageParam: ({ next }) => (next && { ...next, limit: 200 }) as never,
});

export const subscriptionQuery = (task_id: string) =>
  queryOptions({
    queryKey: ['task', task_id, 'subscription'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/tasks/{task_id}/subscription', { task_id }, { signal }),
  });

export async function setSubscription(task_id: string, state: State): Promise<void> {
  if (state === 'unfollowed')
    await guildhall.delete('/api/tasks/{task_id}/subscription', { task_id });
  else await guildhall.put('/api/tasks/{task_id}/subscription', { task_id, body: { state } });
  await Promise.all([
    queries.invalidateQueries({ queryKey: subscriptionQuery(task_id).queryKey }),
    queries.invalidateQueries({ queryKey: mutedQuery.queryKey }),
  ]);
}

/** What a person can do about being told of a task; nothing before it is known what they are told. */
export function subscriptionActs(
  task_id: string,
  state: State | undefined,
): { label: string; onSelect: () => Promise<void> }[] {
  if (state === undefined) return [];
  const act = (label: string, next: State) => ({
    label,
    onSelect: () => setSubscription(task_id, next),
  });
  if (state === 'muted') return [act('Unmute: tell me of it again', 'following')];
  return [
    state === 'following'
      ? act('Unfollow: tell me no more of it', 'unfollowed')
      : act('Follow: tell me of it', 'following'),
    act('Mute: tell me nothing of it', 'muted'),
  ];
}

export const muteQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'mute'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/mute', { project_id }, { signal }),
  });

export async function setMute(project_id: string, muted: boolean): Promise<void> {
  if (muted) await guildhall.put('/api/projects/{project_id}/mute', { project_id });
  else await guildhall.delete('/api/projects/{project_id}/mute', { project_id });
  await Promise.all([
    queries.invalidateQueries({ queryKey: muteQuery(project_id).queryKey }),
    queries.invalidateQueries({ queryKey: mutedQuery.queryKey }),
  ]);
}
