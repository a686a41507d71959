import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import type { Answer } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { withSealedSecret } from '../../platform/sealing/shown-once.ts';
import { sealEndpoint } from '../../platform/webhooks/sealed-endpoints.ts';
import { newSecret } from '../../platform/webhooks/signature.ts';
import { readAddress, shownAddress } from './address.ts';
import { MOST_WEBHOOKS, readEventTypes, tooManyWebhooks, webhook } from './webhook.ts';

/** What operations on webhooks need besides the database. */
export interface WebhookServices {
  webhookSealing: Sealing;
  /** Whether addresses without TLS are accepted. */
  httpWebhooks: boolean;
}

type Added = Static<typeof webhook.added>;

/** Whose the webhook is to be: locked, so that what is counted stays until the commit. */
interface Place extends Caller {
  organization_id: string | null;
  /** Null for one of the workspace. */
  project_id: string | null;
}

/** What is refused whoever asks, before anything is locked. */
export function readAdded(
  body: Added,
  { httpWebhooks: allowHttp }: WebhookServices,
  ofProject: boolean,
) {
  const { name, kind = 'standard' } = body;
  const url = readAddress(body.url, { allowHttp });
  return { name, kind, url, types: readEventTypes(kind, body.event_types, { ofProject }) };
}

/** Makes a webhook of a place. Errors: 409 too_many_webhooks. */
export async function createEndpoint(
  tx: Tx,
  { organization_id, project_id, ...caller }: Place,
  { name, kind, url, types }: ReturnType<typeof readAdded>,
  { requestId, sealing }: { requestId: string; sealing: Sealing },
): Promise<Answer> {
  const id = randomUUID();
  const secret = kind === 'standard' || kind === 'audit' ? newSecret() : undefined;
  const { sealed, keyId } = sealEndpoint(sealing, id, { url, ...(secret && { secret }) });
  const made = await tx.maybeOne<Shown>(sql`
    with ${actor(caller)},
    space as materialized (
      select count(*) < ${MOST_WEBHOOKS} as is_left from webhook_endpoint
       where project_id = ${project_id}::uuid
          or ${project_id}::uuid is null and organization_id = ${organization_id}::uuid),
    changed as (
      insert into webhook_endpoint as t (
        id, organization_id, project_id, name, kind, url, event_types, sealed, sealed_key_id)
      select ${id}::uuid, case when ${project_id}::uuid is null then ${organization_id}::uuid end,
             ${project_id}::uuid, ${name}, ${kind}, ${shownAddress(kind, url)}, ${types}::text[],
             ${sealed}::bytea, ${keyId}
        from space where space.is_left
      returning t as row),
    queued as (
      insert into webhook_queue (endpoint_id) select (changed.row).id from changed),
    audited as (${auditRow({
      action: 'webhook.create',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${organization_id}::uuid`,
      project: sql`(changed.row).project_id`,
      before: sql`null::jsonb`,
      after: webhook.snapshot(sql`changed.row`),
      from: sql`changed`,
    })})
    select ${webhook.columns} from changed, lateral (select (changed.row).*) t`);
  if (made === undefined) throw tooManyWebhooks();
  const item = secret === undefined ? made.item : withSealedSecret(sealing, made.item, secret);
  return shownAs(201, { ...made, item }, `/api/webhooks/${id}`);
}
