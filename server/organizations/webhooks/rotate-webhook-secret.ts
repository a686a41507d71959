import { type OfWebhook, onWebhook } from '../../access/webhook.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt, type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { timestampSql } from '../../http/timestamps.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Sealed } from '../../platform/sealing/sealing.ts';
import { withSealedSecret, withSecret } from '../../platform/sealing/shown-once.ts';
import { sealEndpoint } from '../../platform/webhooks/sealed-endpoints.ts';
import { newSecret } from '../../platform/webhooks/signature.ts';
import type { WebhookServices } from './create-endpoint.ts';
import { opened } from './opened.ts';
import { webhook, webhookUnreadable, webhookUnsigned } from './webhook.ts';

const OVERLAP = '24 hours';

/** Gives a webhook a new secret. */
export const rotateWebhookSecret = ({ webhookSealing: sealing }: WebhookServices) =>
  route({
    method: 'POST',
    path: '/api/webhooks/{webhook_id}/rotate-secret',
    area: 'Workspaces',
    operationId: 'rotate_webhook_secret',
    summary: 'Replace the secret of a webhook',
    description:
      'The new secret is shown in this answer and never again. For 24 hours each message is signed ' +
      'with both, so that receivers can change over; one before those ends at once. Admins of the ' +
      'project or the workspace that it is of, and the owner only.',
    access: onWebhook('manage_webhooks'),
    params: ids('webhook_id'),
    sample: () => ({}),
    responses: { 200: webhook.shownOnce('The webhook with its new secret.', ['ETag']) },
    errors: [webhookUnreadable, webhookUnsigned],
    completeAnswer: withSecret(sealing),
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, place) => {
        const now = await tx.one<{ id: string; sealed: Buffer; sealed_key_id: string }>(sql`
          select id, sealed, sealed_key_id from webhook_endpoint where id = ${place.webhook_id}`);
        const { url, secret: previous } = opened(sealing, now);
        if (previous === undefined) throw webhookUnsigned();
        const secret = newSecret();
        const sealed = sealEndpoint(sealing, now.id, { url, secret, previous });
        const shown = await tx.one<Shown>(rotated(place, sealed, requestId));
        return shownAs(200, { ...shown, item: withSealedSecret(sealing, shown.item, secret) });
      }),
  });

// Its row is locked.
const rotated = (
  { webhook_id, organization_id, ...caller }: OfWebhook & Caller,
  { sealed, keyId }: Sealed,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  changed as (
    update webhook_endpoint t
       set sealed = ${sealed}::bytea, sealed_key_id = ${keyId},
           overlap_until = now() + ${OVERLAP}::interval,
           updated_at = ${changedAt(sql`t.updated_at`)}
     where t.id = ${webhook_id}
    returning t as row),
  audited as (${auditRow({
    action: 'webhook.rotate_secret',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`null::jsonb`,
    after: sql`jsonb_build_object('name', (changed.row).name,
                                  'overlap_until', ${timestampSql(sql`(changed.row).overlap_until`)})`,
    from: sql`changed`,
  })})
  select ${webhook.columns} from changed, lateral (select (changed.row).*) t`;
