import { type OfWebhook, onWebhook } from '../../access/webhook.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { TEST_EVENT } from '../../platform/webhooks/event-types.ts';
import { delivery } from './delivery.ts';

export const webhookOff = apiError(
  409,
  'webhook_off',
  'The webhook is switched off: switch it on first',
);

/** Sends a webhook an event that means nothing. */
export const testWebhook = route({
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/test',
  area: 'Workspaces',
  operationId: 'test_webhook',
  summary: 'Send a test to a webhook',
  description:
    'Sends an event of the type `webhook.test`, whatever the webhook hears of otherwise. Its ' +
    'deliveries say what came of it. Admins of the project or the workspace that it is of, and the ' +
    'owner only.',
  access: onWebhook('manage_webhooks'),
  params: ids('webhook_id'),
  sample: () => ({}),
  responses: {
    201: {
      description: 'The delivery, which is sent at once.',
      schema: delivery.schema,
      example: { ...delivery.example, type: TEST_EVENT, state: 'waiting', attempts: 0 },
    },
  },
  errors: [webhookOff],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, place) => {
      const { is_on, item } = await tx.one<{ is_on: boolean; item: string }>(
        queued(place, requestId),
      );
      if (!is_on) throw webhookOff();
      return { status: 201, body: item };
    }),
});

// Its row is locked. One that rests because it fails is tried at once.
const queued = (
  { webhook_id, organization_id, project_id, ...caller }: OfWebhook & Caller,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select enabled as is_on from webhook_endpoint where id = ${webhook_id}),
  due as (
    update webhook_queue set next_at = now()
     where endpoint_id = ${webhook_id} and (select is_on from place)
    returning endpoint_id),
  made as (
    insert into webhook_delivery as d
           (endpoint_id, type, project_id, body, noted_at, state, next_attempt_at)
    select endpoint_id, ${TEST_EVENT}, ${project_id}::uuid,
           json_build_object(
             'type', ${TEST_EVENT}::text,
             'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'data', jsonb_strip_nulls(jsonb_build_object(
               'organization_id', ${organization_id}::uuid, 'project_id', ${project_id}::uuid,
               'webhook_id', ${webhook_id}::uuid))),
           now(), 'waiting', now()
      from due
    returning d.*),
  audited as (${auditRow({
    action: 'webhook.test',
    requestId,
    target: sql`made.endpoint_id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`${project_id}::uuid`,
    before: sql`null::jsonb`,
    after: sql`jsonb_build_object('delivery_id', made.id)`,
    from: sql`made`,
  })})
  select place.is_on, ${delivery.json} as item from place left join made d on true`;
