import { onDeletedWebhook, onWebhook } from '../../access/webhook.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { webhook, webhookChanged } from './webhook.ts';

/** Deletes a webhook with what waits for it and the log of its deliveries. */
export const deleteWebhook = route({
  method: 'DELETE',
  path: '/api/webhooks/{webhook_id}',
  area: 'Workspaces',
  operationId: 'delete_webhook',
  summary: 'Delete a webhook',
  description:
    'Deletes the webhook with what waits for it and the log of its deliveries. Admins of the ' +
    'project or the workspace that it is of, and the owner only.',
  access: onWebhook('manage_webhooks'),
  replayAccess: onDeletedWebhook('manage_webhooks'),
  params: ids('webhook_id'),
  responses: { 204: { description: 'The webhook was deleted.' } },
  headers: { 'If-Match': 'The ETag of the webhook that you have read.' },
  errors: [webhookChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sql`webhook_endpoint`, sql`webhook_id`, headers['if-match'])},
          deleted as (
            delete from webhook_endpoint t using current, authorized
             where t.id = (current.row).id and current.expected
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'webhook.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: webhook.snapshot(sql`deleted.row`),
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        if (expected === null) throw notFound();
        if (!expected) throw webhookChanged();
        return { status: 204 };
      },
    ),
});
