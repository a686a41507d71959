import type { Route } from '../../http/route.ts';
import type { WebhookServices } from './create-endpoint.ts';
import { createProjectWebhook } from './create-project-webhook.ts';
import { createWorkspaceWebhook } from './create-workspace-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { listProjectWebhooks } from './list-project-webhooks.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWorkspaceWebhooks } from './list-workspace-webhooks.ts';
import { resendWebhookDelivery } from './resend-webhook-delivery.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhookRoutes = (services: WebhookServices): Route[] => [
  listWorkspaceWebhooks,
  createWorkspaceWebhook(services),
  listProjectWebhooks,
  createProjectWebhook(services),
  getWebhook,
  updateWebhook(services),
  deleteWebhook,
  rotateWebhookSecret(services),
  testWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
];
