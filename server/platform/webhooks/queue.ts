import type { Database, Tx } from '../../db/database/database.ts';
import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';
import type { Kind } from './event-types.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long after each failed attempt of a delivery the next one follows: three days in all, as the
 * specification of Standard Webhooks proposes.
 */
const RETRY_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
];

/** An endpoint that has failed for so long without a success is switched off. */
const GIVE_UP_AFTER_MS = 72 * HOUR;

/** An endpoint that fails rests, whatever else waits for it: so long at first, doubled each time. */
const FIRST_REST_MS = 5 * SECOND;
const LONGEST_REST_MS = 15 * MINUTE;

/** How long an endpoint belongs to the process that claimed it: longer than an attempt takes. */
const LEASE = '60 seconds';

/** An endpoint that belongs to this process until its delivery has an outcome. */
export interface Claimed {
  endpointId: string;
  heldBy: string;
}

/** SQL: whether an endpoint, a row of `webhook_queue`, is due and nobody has it. */
export const QUEUE_IS_DUE = sql`next_at <= now() and (held_until is null or held_until < now())`;

/** Claims the endpoints of one line that have been due longest. */
export const claim = (
  db: Pick<Database, 'write'>,
  { slow, most }: { slow: boolean; most: number },
): Promise<Claimed[]> =>
  db.write<Claimed>(sql`
    with due as (
      select endpoint_id from webhook_queue
       where slow = ${slow} and ${QUEUE_IS_DUE}
       order by next_at limit ${most} for update skip locked)
    update webhook_queue q set held_by = gen_random_uuid(), held_until = now() + ${LEASE}::interval
      from due where q.endpoint_id = due.endpoint_id
    returning q.endpoint_id as "endpointId", q.held_by as "heldBy"`);

/** A delivery that is due, with its endpoint. */
export interface Due {
  endpoint_id: string;
  kind: Kind;
  sealed: Buffer;
  sealed_key_id: string;
  /** Whether the secret before signs, too. */
  overlaps: boolean;
  id: string;
  type: string;
  body: string;
  /** Failed ones. */
  attempts: number;
}

/** The next delivery of a claimed endpoint, if it has one and is not switched off. */
export async function nextDelivery(
  db: Pick<Database, 'many'>,
  { endpointId, heldBy }: Claimed,
): Promise<Due | undefined> {
  const [due] = await db.many<Due>(sql`
    select e.id as endpoint_id, e.kind, e.sealed, e.sealed_key_id,
           coalesce(e.overlap_until > now(), false) as overlaps, d.id, d.type, d.body, d.attempts
      from webhook_queue q
      join webhook_endpoint e on e.id = q.endpoint_id and e.enabled
     cross join lateral (
       select * from webhook_delivery d
        where d.endpoint_id = e.id and d.state = 'waiting' and d.next_attempt_at <= now()
        order by d.next_attempt_at, d.id limit 1) d
     where q.endpoint_id = ${endpointId} and q.held_by = ${heldBy} and q.held_until > now()`);
  return due;
}

/** What came of an attempt. `error`: why there was no answer, or why it was no success. */
export interface Outcome {
  result: 'delivered' | 'failed' | 'gone';
  status?: number | undefined;
  answer?: string | undefined;
  error?: string | undefined;
  ms: number;
  slow: boolean;
}

/** Gives a claimed endpoint back for which nothing was to be sent. */
export const release = (db: Pick<Database, 'transaction'>, claimed: Claimed): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await stillHeld(tx, claimed))) return;
    await tx.many(sql`
      update webhook_queue q
         set held_by = null, held_until = null,
             next_at = case when (select enabled from webhook_endpoint where id = q.endpoint_id)
                            then ${earliest(claimed)} end
       where q.endpoint_id = ${claimed.endpointId}`);
  });

/**
 * Records what came of an attempt, lets the next delivery about the task go, and gives the endpoint
 * back. Nothing changes if another process has claimed it since. Returns whether the endpoint was
 * switched off.
 */
export const record = (
  db: Pick<Database, 'transaction'>,
  claimed: Claimed,
  due: Pick<Due, 'id' | 'attempts'>,
  outcome: Outcome,
): Promise<{ switchedOff: boolean }> =>
  db.transaction(async (tx) => {
    const { endpointId } = claimed;
    const ok = outcome.result === 'delivered';
    // In the order in which whoever changes an endpoint locks both.
    if (!ok)
      await tx.many(sql`
      select from webhook_endpoint where id = ${endpointId} for no key update`);
    const queue = await stillHeld(tx, claimed);
    if (queue === undefined) return { switchedOff: false };
    const pause = RETRY_AFTER_MS[due.attempts];
    const tooLong = queue.failing_ms >= GIVE_UP_AFTER_MS;
    // Of several endpoints of a delivery, one that takes others is not switched off for it.
    const exhausted = pause === undefined && queue.failures >= due.attempts;
    const switchedOff = !ok && (outcome.result === 'gone' || tooLong || exhausted);
    const ends = ok || outcome.result === 'gone' || pause === undefined;
    await tx.many(sql`
      update webhook_delivery
         set state = ${ok ? 'delivered' : ends ? 'failed' : 'waiting'},
             attempts = attempts + 1,
             next_attempt_at = ${ends ? null : sql`now() + ${pause}::integer * interval '1 millisecond'`},
             status = ${outcome.status ?? null}::integer, answer = ${outcome.answer ?? null}::text,
             error = ${outcome.error ?? null}::text, duration_ms = ${outcome.ms}::integer,
             ended_at = ${ends ? sql`clock_timestamp()` : null}
       where id = ${due.id} and state = 'waiting'`);
    if (ends) await unblock(tx, due.id);
    const failures = ok ? 0 : queue.failures + 1;
    const rest = ok ? 0 : Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
    await tx.many(sql`
      update webhook_queue q
         set held_by = null, held_until = null, slow = ${outcome.slow}, failures = ${failures},
             failing_since = case when ${!ok} then coalesce(failing_since, now()) end,
             next_at = case when not ${switchedOff}
                            then greatest(${earliest(claimed)},
                                          now() + ${rest}::integer * interval '1 millisecond') end
       where q.endpoint_id = ${endpointId}`);
    if (switchedOff)
      await switchOff(tx, endpointId, outcome.result === 'gone' ? 'gone' : 'failing');
    return { switchedOff };
  });

const stillHeld = (
  tx: Tx,
  { endpointId, heldBy }: Claimed,
): Promise<{ failures: number; failing_ms: number } | undefined> =>
  tx.maybeOne(sql`
    select failures,
           coalesce(extract(epoch from now() - failing_since) * 1000, 0)::float8 as failing_ms
      from webhook_queue where endpoint_id = ${endpointId} and held_by = ${heldBy} for update`);

/** SQL: when the endpoint has its next delivery; null without one. */
const earliest = ({ endpointId }: Claimed) => sql`
  (select min(next_attempt_at) from webhook_delivery
    where endpoint_id = ${endpointId} and state = 'waiting')`;

/** Lets the next delivery about the task of one that has ended go, unless another one still waits. */
const unblock = (tx: Pick<Tx, 'many'>, deliveryId: string): Promise<unknown> =>
  tx.many(sql`
    update webhook_delivery d set state = 'waiting', next_attempt_at = now()
     where d.id = (
       select n.id from webhook_delivery e
         join webhook_delivery n
           on n.endpoint_id = e.endpoint_id and n.task_id = e.task_id and n.state = 'blocked'
        where e.id = ${deliveryId}
          and not exists (
            select from webhook_delivery w
             where w.endpoint_id = e.endpoint_id and w.task_id = e.task_id
               and w.state = 'waiting')
        order by n.noted_at, n.id limit 1)`);

/** What waits stays, and is sent once a person has switched the endpoint on again. */
const switchOff = (tx: Tx, endpointId: string, reason: 'failing' | 'gone'): Promise<unknown> =>
  tx.many(sql`
    with off as (
      update webhook_endpoint set enabled = false, disabled_reason = ${reason},
             updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where id = ${endpointId} and enabled
      returning id, organization_id, project_id, name),
    noted as (
      insert into audit_event (action, outcome, target_id, organization_id, project_id, after,
                               request_id)
      select 'webhook.switch_off', 'done', off.id::text,
             coalesce(off.organization_id, p.organization_id), off.project_id,
             jsonb_build_object('name', off.name, 'reason', ${reason}::text), 'webhooks'
        from off left join project p on p.id = off.project_id),
    admins as (
      select m.user_id from off join membership m on m.organization_id = off.organization_id
        join role r on r.id = m.role_id
        join organization o on o.id = m.organization_id
       where r.acts_as = 'admin' or o.owner_user_id = m.user_id
       union
      select person.user_id from off join project_person person on person.project_id = off.project_id
       where person.acts_as in ('owner', 'admin') and person.hidden_reason is null),
    told as (
      insert into webhook_notice (endpoint_id, user_id)
      select ${endpointId}, u.id from admins join app_user u on u.id = admins.user_id
       where u.is_active and u.mail_warnings
      returning id, user_id)
    insert into mail (kind, recipient, subject_id)
    select 'webhook_off', u.email, told.id from told join app_user u on u.id = told.user_id`);

/**
 * What was delivered to webhooks, or could not be. One that waits goes after those that follow it about
 * its task, which nothing else would let go.
 */
export const oldDeliveries = (days: number): RetentionRule =>
  retentionRule({
    name: 'deliveries to webhooks',
    setting: 'RETENTION_WEBHOOKS_DAYS',
    days,
    which: (before) => sql`
      select id from webhook_delivery d
       where created_at < ${before}
         and (state <> 'waiting'
              or not exists (select from webhook_delivery n
                              where n.endpoint_id = d.endpoint_id and n.task_id = d.task_id
                                and n.state = 'blocked'))
       order by created_at`,
    remove: (due) => sql`delete from webhook_delivery where id = ${due} returning id`,
  });
