import { API } from '../http/openapi.ts';
import { describedEvents } from '../organizations/webhooks/described-events.ts';

/** What the document says beside its operations: also what webhooks are sent. */
export const describedApi = () => ({ ...API, webhooks: describedEvents() });
