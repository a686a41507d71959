import type { components, operations } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

export type Webhook = components['schemas']['Webhook'];
export type Delivery = components['schemas']['WebhookDelivery'];
type Body = operations['create_workspace_webhook']['requestBody']['content']['application/json'];
export type EventType = NonNullable<Body['event_types']>[number];
export type Kind = Webhook['kind'];

/** Whose webhooks a page shows. */
export type Place = { org: string } | { project: string };

/** What webhooks can hear of, in the order of the page, each with its name. */
export const EVENT_NAMES: Readonly<Record<EventType, string>> = {
  'task.created': 'A task was created',
  'task.plan_waiting': 'A plan waits for approval',
  'task.question_asked': 'An agent asks a question',
  'task.permission_asked': 'An agent asks for a permission',
  'task.ready': 'A task is ready',
  'task.failed': 'A task has failed',
  'task.paused': 'A task is paused',
  'task.cancelled': 'A task was cancelled',
  'task.checks_failed': 'Checks have failed',
  'task.merged': 'A task was merged',
  'deploy.succeeded': 'A deploy has succeeded',
  'deploy.failed': 'A deploy has failed',
  'invitation.created': 'A person was invited',
  'member.added': 'A person has joined',
  'member.removed': 'A person has left',
  'balance.low': 'The balance is low',
  'top_up.succeeded': 'The balance was topped up',
  'top_up.failed': 'A top-up has failed',
};

/** Those that a place has: who is in a workspace, and its money, is no event of a project. */
export const eventTypesOf = (place: Place): EventType[] =>
  (Object.keys(EVENT_NAMES) as EventType[]).filter(
    (type) => 'org' in place || !/^(member|balance|top_up)\./.test(type),
  );

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  standard: 'Signed events',
  slack: 'Slack',
  discord: 'Discord',
  audit: 'Audit trail',
};

const keyOf = (place: Place) =>
  'org' in place
    ? (['workspace', place.org, 'webhooks'] as const)
    : (['project', place.project, 'webhooks'] as const);

export const webhooksQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place),
    queryFn: ({ signal }) =>
      'org' in place
        ? guildhall.get('/api/organizations/{org_id}/webhooks', { org_id: place.org }, { signal })
        : guildhall.get(
            '/api/projects/{project_id}/webhooks',
            { project_id: place.project },
            { signal },
          ),
  });

export const createWebhook = (place: Place, body: Body) =>
  'org' in place
    ? guildhall.post('/api/organizations/{org_id}/webhooks', { org_id: place.org, body })
    : guildhall.post('/api/projects/{project_id}/webhooks', { project_id: place.project, body });

/** The newest deliveries, read again while one waits. */
export const deliveriesQuery = (webhook_id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhook', webhook_id, 'deliveries'],
    initialPageParam: { webhook_id, limit: 50 },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/webhooks/{webhook_id}/deliveries', pageParam, { signal }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: 200 }) as never,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (pages.length > 2) return false;
      return pages.some(({ items }) => items.some(({ state }) => state === 'waiting'))
        ? 2_000
        : 10_000;
    },
  });

export const refreshWebhooks = (place: Place): Promise<void> =>
  queries.invalidateQueries({ queryKey: keyOf(place) });

export const refreshDeliveries = (webhook_id: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['webhook', webhook_id] });
