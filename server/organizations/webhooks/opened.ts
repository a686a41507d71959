import { CannotOpen, type Sealing } from '../../platform/sealing/sealing.ts';
import { type EndpointSecrets, openEndpoint } from '../../platform/webhooks/sealed-endpoints.ts';
import { webhookUnreadable } from './webhook.ts';

/** What a webhook does not show. Errors: 409 webhook_unreadable. */
export function opened(sealing: Sealing, row: Parameters<typeof openEndpoint>[1]): EndpointSecrets {
  try {
    return openEndpoint(sealing, row);
  } catch (error) {
    if (error instanceof CannotOpen) throw webhookUnreadable();
    throw error;
  }
}
