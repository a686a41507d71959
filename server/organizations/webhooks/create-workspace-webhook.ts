import { onWorkspace } from '../../access/workspace.ts';
import { ids, route } from '../../http/route.ts';
import { withSecret } from '../../platform/sealing/shown-once.ts';
import { addressInvalid, addressNotHttps } from './address.ts';
import { createEndpoint, readAdded, type WebhookServices } from './create-endpoint.ts';
import { eventTypesWrong, tooManyWebhooks, webhook } from './webhook.ts';

/** Makes a webhook of a workspace. */
export const createWorkspaceWebhook = (services: WebhookServices) =>
  route({
    method: 'POST',
    path: '/api/organizations/{org_id}/webhooks',
    area: 'Workspaces',
    operationId: 'create_workspace_webhook',
    summary: 'Add a webhook to a workspace',
    description:
      'Events of the workspace and of all its projects are sent to the address from now on. ' +
      'The secret that verifies signatures is shown in this answer and never again. At most 20. ' +
      'Owners and admins only.',
    access: onWorkspace('manage_webhooks'),
    params: ids('org_id'),
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
      const wanted = readAdded(body, services, false);
      return transaction((tx, place) =>
        createEndpoint(tx, { ...place, project_id: null }, wanted, {
          requestId,
          sealing: services.webhookSealing,
        }),
      );
    },
  });
