import { onWebhookDelivery } from '../../access/webhook.ts';
import { ids, route } from '../../http/route.ts';
import { delivery } from './delivery.ts';
import { sendAgain, sendAgainErrors } from './send-again.ts';

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
  errors: sendAgainErrors,
  handle: ({ params: { delivery_id: deliveryId }, requestId, transaction }) =>
    transaction(async (tx, { webhook_id, organization_id, project_id, ...caller }) => {
      const body = await sendAgain(tx, {
        deliveryId,
        webhookId: webhook_id,
        organizationId: organization_id,
        projectId: project_id,
        caller,
        requestId,
      });
      return { status: 200, body };
    }),
});
