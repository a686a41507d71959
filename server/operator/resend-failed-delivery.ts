import { onAnyDelivery } from '../access/operator.ts';
import { notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { sendAgain, sendAgainErrors } from '../organizations/index.ts';

/** Sends an event to a webhook once more, which the operator sees nothing of. */
export const resendFailedDelivery = route({
  method: 'POST',
  path: '/api/operator/webhook-deliveries/{delivery_id}/resend',
  area: 'Operation',
  operationId: 'resend_failed_delivery',
  summary: 'Send a delivery again that was given up',
  description:
    'Sends the same body with the same `webhook-id` again, at once. A webhook that is switched off ' +
    'stays so: its admins switch it on. Operators only.',
  access: onAnyDelivery,
  params: ids('delivery_id'),
  sample: () => ({}),
  responses: { 204: { description: 'The delivery is sent at once.' } },
  errors: [operatorRequired, notFound, ...sendAgainErrors],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, { target_id, webhook_id, workspace_id, project_id, ...caller }) => {
      await sendAgain(tx, {
        deliveryId: target_id,
        webhookId: webhook_id,
        organizationId: workspace_id,
        projectId: project_id,
        caller,
        requestId,
        forOperators: true,
      });
      return { status: 204 };
    }),
});
