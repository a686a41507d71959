import type { Static } from 'typebox';
import { type OfWebhook, onWebhook } from '../../access/webhook.ts';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt, revision, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import type { Kind } from '../../platform/webhooks/event-types.ts';
import { sealEndpoint } from '../../platform/webhooks/sealed-endpoints.ts';
import { addressInvalid, addressNotHttps, readAddress, shownAddress } from './address.ts';
import type { WebhookServices } from './create-endpoint.ts';
import { opened } from './opened.ts';
import {
  eventTypesWrong,
  readEventTypes,
  webhook,
  webhookChanged,
  webhookUnreadable,
} from './webhook.ts';

/** Changes a webhook; a field left out keeps its value (ruling 4). */
export const updateWebhook = ({
  webhookSealing: sealing,
  httpWebhooks: allowHttp,
}: WebhookServices) =>
  route({
    method: 'PUT',
    path: '/api/webhooks/{webhook_id}',
    area: 'Workspaces',
    operationId: 'update_webhook',
    summary: 'Update a webhook',
    description:
      'A field that is omitted keeps its value; `{}` changes nothing. One that is switched on again, ' +
      'or has another address, gets what still waits for it, in order; what happens while it is off ' +
      'is not kept. Send the ' +
      '`ETag` of the webhook you have read as `If-Match` to avoid overwriting a later change. ' +
      'Admins of the project or the workspace that it is of, and the owner only.',
    access: onWebhook('manage_webhooks'),
    params: ids('webhook_id'),
    body: webhook.changes,
    sample: () => ({ body: { name: 'Merges', event_types: ['task.merged'] } }),
    responses: { 200: webhook.shown('The current webhook.') },
    headers: { 'If-Match': 'The ETag of the webhook that you have read.' },
    errors: [addressInvalid, addressNotHttps, eventTypesWrong, webhookUnreadable, webhookChanged],
    handle: ({ body, headers, requestId, transaction }) => {
      const url = body.url === undefined ? undefined : readAddress(body.url, { allowHttp });
      return transaction(async (tx, place) => {
        const now = await load(tx, place);
        const { changes, moved } = changesOf(sealing, now, { ...body, url }, place);
        const { expected, ...shown } = await tx.one<Shown & { expected: boolean }>(
          updated(place, changes, headers['if-match'], requestId),
        );
        if (!expected) throw webhookChanged();
        if (moved || (body.enabled === true && !now.enabled)) await resume(tx, now.id, { moved });
        return shownAs(200, shown);
      });
    },
  });

/** What changes; `moved`: whether it has another address. */
function changesOf(
  sealing: Sealing,
  now: Now,
  body: Changes,
  { project_id }: OfWebhook,
): { changes: object; moved: boolean } {
  const { url, event_types, name, enabled } = body;
  const secrets = url === undefined ? undefined : opened(sealing, now);
  const moved = secrets !== undefined && secrets.url !== url;
  const sealed =
    moved && url !== undefined ? sealEndpoint(sealing, now.id, { ...secrets, url }) : undefined;
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(enabled === true ? { disabled_reason: null } : {}),
    ...(event_types === undefined
      ? {}
      : {
          event_types: readEventTypes(now.kind, event_types, { ofProject: project_id !== null }),
        }),
    ...(sealed === undefined || url === undefined
      ? {}
      : {
          url: shownAddress(now.kind, url),
          sealed: `\\x${sealed.sealed.toString('hex')}`,
          sealed_key_id: sealed.keyId,
        }),
  };
  return { changes, moved };
}

interface Changes extends Omit<Static<typeof webhook.changes>, 'url'> {
  url: string | undefined;
}

interface Now {
  id: string;
  kind: Kind;
  enabled: boolean;
  sealed: Buffer;
  sealed_key_id: string;
}

// Its row is locked.
const load = (tx: Tx, { webhook_id }: OfWebhook): Promise<Now> =>
  tx.one<Now>(sql`
    select id, kind, enabled, sealed, sealed_key_id from webhook_endpoint where id = ${webhook_id}`);

// Its row is locked; that of its queue is, before its deliveries. What an address still answers after
// the webhook has moved from it says nothing of the new one: whoever waits for it has lost its lease.
async function resume(tx: Tx, id: string, { moved }: { moved: boolean }): Promise<void> {
  await tx.many(sql`
    update webhook_queue
       set next_at = now(), failures = 0, failing_since = null, slow = false,
           held_by = case when ${!moved} then held_by end,
           held_until = case when ${!moved} then held_until end
     where endpoint_id = ${id}`);
  await tx.many(sql`
    update webhook_delivery set next_attempt_at = now(), attempts = 0
     where endpoint_id = ${id} and state = 'waiting'`);
}

const updated = (
  { webhook_id, organization_id, ...caller }: OfWebhook & Caller,
  changes: object,
  ifMatch: string | undefined,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  current as materialized (
    select t as row, ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from webhook_endpoint t where t.id = ${webhook_id}),
  wanted as (select ${withChanges(sql`row`, changes)} as row from current where expected),
  changed as (
    update webhook_endpoint t
       set name = (wanted.row).name,
           url = (wanted.row).url,
           event_types = (wanted.row).event_types,
           sealed = (wanted.row).sealed,
           sealed_key_id = (wanted.row).sealed_key_id,
           enabled = (wanted.row).enabled,
           disabled_reason = (wanted.row).disabled_reason,
           updated_at = ${changedAt(sql`(current.row).updated_at`)}
      from wanted, current
     where t.id = (wanted.row).id and wanted.row is distinct from current.row
    returning t as row),
  audited as (${auditRow({
    action: 'webhook.update',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: webhook.snapshot(sql`current.row`),
    after: webhook.snapshot(sql`changed.row`),
    from: sql`changed cross join current`,
  })})
  select current.expected, ${webhook.columns}
    from current
    left join changed on true
    cross join lateral (select (coalesce(changed.row, current.row)).*) t`;
