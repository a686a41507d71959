import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError, notFound } from '../../http/errors.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { delivery } from './delivery.ts';
import { webhookOff } from './test-webhook.ts';

const deliveryWaits = apiError(
  409,
  'webhook_delivery_waits',
  'The delivery waits for an earlier one about the same task: it is sent after that',
);

export const sendAgainErrors = [webhookOff, deliveryWaits];

/** A delivery of a webhook, and where that is. */
interface Again {
  deliveryId: string;
  webhookId: string;
  organizationId: string | null;
  projectId: string | null;
  caller: Caller;
  requestId: string;
  /** Whether an operator does it, who is none of its workspace. */
  forOperators?: boolean;
}

/** Makes a delivery due at once, whatever came of it before; returns its JSON text. */
export async function sendAgain(tx: Tx, again: Again): Promise<string> {
  // As everything that adds or ends deliveries.
  await tx.many(sql`
    select from webhook_queue where endpoint_id = ${again.webhookId} for update`);
  const [row] = await tx.many<{ is_on: boolean; state: string; item: string }>(queued(again));
  if (row === undefined) throw notFound();
  if (!row.is_on) throw webhookOff();
  if (row.state === 'blocked') throw deliveryWaits();
  return row.item;
}

const queued = ({
  deliveryId,
  webhookId,
  organizationId,
  projectId,
  caller,
  requestId,
  forOperators = false,
}: Again): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select d.id, d.state, e.enabled as is_on
      from webhook_endpoint e join webhook_delivery d on d.endpoint_id = e.id
     where e.id = ${webhookId} and d.id = ${deliveryId}),
  made as (
    update webhook_delivery d
       set state = 'waiting', attempts = 0, next_attempt_at = now(), ended_at = null
      from place
     where d.id = place.id and place.is_on and place.state <> 'blocked'
    returning d.*),
  due as (
    update webhook_queue set next_at = now() where endpoint_id in (select endpoint_id from made)),
  audited as (${auditRow({
    action: 'webhook.resend',
    requestId,
    target: sql`made.endpoint_id`,
    organization: sql`${organizationId}::uuid`,
    project: sql`${projectId}::uuid`,
    before: sql`null::jsonb`,
    after: sql`jsonb_build_object('delivery_id', made.id)`,
    from: sql`made`,
    forOperators,
  })})
  select place.is_on, place.state, ${delivery.json} as item from place left join made d on true`;
