import { onProject } from '../../access/project.ts';
import { ids, route } from '../../http/route.ts';
import { withSecret } from '../../platform/sealing/shown-once.ts';
import { addressInvalid, addressNotHttps } from './address.ts';
import { createEndpoint, readAdded, type WebhookServices } from './create-endpoint.ts';
import { eventTypesWrong, tooManyWebhooks, webhook } from './webhook.ts';

/** Makes a webhook of a project. */
export const createProjectWebhook = (services: WebhookServices) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/webhooks',
    area: 'Projects',
    operationId: 'create_project_webhook',
    summary: 'Add a webhook to a project',
    description:
      'Events of the project are sent to the address from now on. ' +
      'The secret that verifies signatures is shown in this answer and never again. At most 20. ' +
      'Admins of the project, and the owner and admins of its workspace only.',
    access: onProject('manage_webhooks'),
    params: ids('project_id'),
    body: webhook.added,
    sample: () => ({
      body: {
        name: 'Releases',
        url: 'https://hooks.example.com/guildhall',
        kind: 'standard',
        event_types: ['task.plan_waiting', 'task.merged'],
      },
    }),
    responses: { 201: webhook.shownOnce('The webhook.', ['ETag', 'Location']) },
    errors: [addressInvalid, addressNotHttps, eventTypesWrong, tooManyWebhooks],
    completeAnswer: withSecret(services.webhookSealing),
    handle: ({ body, requestId, transaction }) => {
      const wanted = readAdded(body, services, true);
      return transaction((tx, place) =>
        createEndpoint(tx, place, wanted, { requestId, sealing: services.webhookSealing }),
      );
    },
  });
