import Type, { type Static } from 'typebox';
import { onWebhook } from '../../access/webhook.ts';
import { nothing, sql } from '../../db/sql.ts';
import { oneOf } from '../../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { delivery, STATES } from './delivery.ts';

const query = Type.Object({
  ...pages,
  state: Type.Optional(oneOf([...STATES], { description: 'Only those in this state.' })),
});

/** What was sent to a webhook, and waits for it. */
export const listWebhookDeliveries = route({
  method: 'GET',
  path: '/api/webhooks/{webhook_id}/deliveries',
  area: 'Workspaces',
  operationId: 'list_webhook_deliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'What was sent to the webhook in the last 30 days, and what waits for it, newest first. Always ' +
    'in pages: 50 entries, unless `limit` says otherwise. Admins of the project or the workspace ' +
    'that it is of, and the owner only.',
  access: onWebhook('manage_webhooks'),
  params: ids('webhook_id'),
  query,
  responses: { 200: delivery.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(deliveries(query), query) }, page(url, query.limit)),
});

// The webhook is a subquery, so that an index in the order of the list serves it.
const deliveries = ({ state }: Static<typeof query>): ListParts => ({
  json: delivery.json,
  rows: sql`
    from webhook_delivery d
   where d.endpoint_id = (select webhook_id from authorized)
     ${
       state === undefined
         ? nothing
         : sql`and d.state = any(${state === 'waiting' ? ['waiting', 'blocked'] : [state]}::text[])`
     }`,
  order: [
    { by: sql`d.created_at`, type: 'timestamptz' },
    { by: sql`d.id`, type: 'uuid' },
  ],
  descending: true,
});
