import { type OfWebhook, onWebhookDelivery } from '../../access/webhook.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError, notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { delivery } from './delivery.ts';
import { webhookOff } from './test-webhook.ts';

const deliveryWaits = apiError(
  409,
  'webhook_delivery_waits',
  'The delivery waits for an earlier one about the same task: it is sent after that',
);

/** Sends an event to a webhook once more. */
export const resendWebhookDelivery = route({
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
  area: 'Workspaces',
  operationId: 'resend_webhook_delivery',
  summary: 'Send a delivery again',
  description:
    'Sends the same body with the same `webhook-id` again, at once, whatever came of it before. ' +
    'Admins of the project or the workspace that the webhook is of, and the owner only.',
  access: onWebhookDelivery('manage_webhooks'),
  params: ids('webhook_id', 'delivery_id'),
  sample: () => ({}),
  responses: {
    200: {
      description: 'The delivery, which is sent at once.',
      schema: delivery.schema,
      example: { ...delivery.example, state: 'waiting', attempts: 0 },
    },
  },
  errors: [webhookOff, deliveryWaits],
  handle: ({ params: { delivery_id }, requestId, transaction }) =>
    transaction(async (tx, place) => {
      // As everything that adds or ends deliveries.
      await tx.many(sql`
        select from webhook_queue where endpoint_id = ${place.webhook_id} for update`);
      const [row] = await tx.many<{ is_on: boolean; state: string; item: string }>(
        queued(place, delivery_id, requestId),
      );
      if (row === undefined) throw notFound();
      if (!row.is_on) throw webhookOff();
      if (row.state === 'blocked') throw deliveryWaits();
      return { status: 200, body: row.item };
    }),
});

const queued = (
  { webhook_id, organization_id, project_id, ...caller }: OfWebhook & Caller,
  deliveryId: string,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select d.id, d.state, e.enabled as is_on
      from webhook_endpoint e join webhook_delivery d on d.endpoint_id = e.id
     where e.id = ${webhook_id} and d.id = ${deliveryId}),
  made as (
    update webhook_delivery d
       set state = 'waiting', attempts = 0, next_attempt_at = now(), ended_at = null
      from place
     where d.id = place.id and place.is_on and place.state <> 'blocked'
    returning d.*),
  due as (
    update webhook_queue set next_at = now() where endpoint_id in (select endpoint_id from made)),
  audited as (${auditRow({
    action: 'webhook.resend',
    requestId,
    target: sql`made.endpoint_id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`${project_id}::uuid`,
    before: sql`null::jsonb`,
    after: sql`jsonb_build_object('delivery_id', made.id)`,
    from: sql`made`,
  })})
  select place.is_on, place.state, ${delivery.json} as item from place left join made d on true`;
