import { onWebhook } from '../../access/webhook.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { webhook } from './webhook.ts';

/** A webhook, without its secret. */
export const getWebhook = route({
  method: 'GET',
  path: '/api/webhooks/{webhook_id}',
  area: 'Workspaces',
  operationId: 'get_webhook',
  summary: 'Get a webhook',
  description: 'Admins of the project or the workspace that it is of, and the owner only.',
  access: onWebhook('manage_webhooks'),
  params: ids('webhook_id'),
  responses: { 200: webhook.shown('The webhook.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        select: sql`
          select ${webhook.columns}
            from authorized join webhook_endpoint t on t.id = authorized.webhook_id`,
      },
      (row) => shownAs(200, row),
    ),
});
