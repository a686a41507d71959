/**
 * What the end of a top-up, or the return of its money, means for auto-reload: its row is paused or
 * resumed. Auto-reload depends on top-ups, never the other way round; this module only writes to
 * the row and knows nothing of who charges.
 */

import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import type { TopUp } from './top-up.ts';

/** Why auto-reload waits for a person. */
export const PAUSED_REASONS = [
  'declined',
  'authentication_required',
  'card_lost',
  'refunded',
  'disputed',
] as const;
export type PausedReason = (typeof PAUSED_REASONS)[number];

const DECLINES = 3n;
const LOST = ['lost_card', 'stolen_card', 'pickup_card'];

/**
 * Pauses or resumes auto-reload after a top-up ended. Call it in the transaction that wrote
 * `succeeded` or `failed`, after that. It only depends on stored rows, so a second call changes
 * nothing.
 */
export async function afterTopUp(tx: Tx, { id }: Pick<TopUp, 'id'>): Promise<void> {
  const ended = await tx.maybeOne<Ended>(sql`
    select t.account_id, t.request_id, t.status, t.automatic, t.failure_code, t.decline_code,
           r.paused_reason, t.created_at >= r.declines_since as counts,
           (${declinesInARow}) as declines,
           p.user_id = t.user_id as by_card_owner
      from top_up t
      join auto_reload r on r.account_id = t.account_id
      left join payment_method p on p.id = r.payment_method_id
     where t.id = ${id} for update of r`);
  if (ended === undefined) return;
  const { account_id, request_id } = ended;
  // A card is charged again only because its owner acts, whoever else adds funds (ruling 10.2).
  if (ended.status === 'succeeded' && !ended.automatic && ended.by_card_owner === true) {
    await tx.many(
      sql`update auto_reload set declines_since = now() where account_id = ${account_id}`,
    );
    if (ended.paused_reason === null) return;
    await changeAutoReload(
      tx,
      account_id,
      'auto_reload.resume',
      request_id,
      sql`paused_reason = null`,
    );
    await requestCheck(tx, account_id);
  }
  const reason =
    ended.status === 'failed' && ended.automatic && ended.counts ? pausedBy(ended) : undefined;
  if (reason !== undefined && ended.paused_reason === null)
    await changeAutoReload(
      tx,
      account_id,
      'auto_reload.pause',
      request_id,
      sql`paused_reason = ${reason}`,
    );
}

/**
 * Pauses auto-reload of an account whose money was returned to a card, because the same card would
 * be charged again. Only a person resumes it. Call it in the transaction that posted the debit,
 * while the account is locked.
 */
export async function afterMoneyReturned(
  tx: Tx,
  accountId: string,
  reason: 'refunded' | 'disputed',
  requestId: string,
): Promise<void> {
  const running = await tx.maybeOne(sql`
    select account_id from auto_reload
     where account_id = ${accountId} and enabled and paused_reason is null for update`);
  if (running !== undefined)
    await changeAutoReload(
      tx,
      accountId,
      'auto_reload.pause',
      requestId,
      sql`paused_reason = ${reason}`,
    );
}

/** Has the background work check the account once this transaction is committed. */
export async function requestCheck(tx: Tx, accountId: string): Promise<void> {
  // Updating a message that exists already locks it, so that no worker processes it before this
  // commits.
  await tx.many(sql`
    insert into outbox (topic, key, payload)
    values ('auto_reload_due', ${accountId}, jsonb_build_object('account_id', ${accountId}::uuid))
    on conflict (topic, key) do update set payload = excluded.payload`);
}

/** The next `updated_at` of a row `r`: a time that it never had before. */
export const newRevision: Sql = sql`
  greatest(clock_timestamp(), r.updated_at + interval '1 microsecond')`;

interface Ended
  extends Pick<TopUp, 'account_id' | 'request_id' | 'status' | 'failure_code' | 'decline_code'> {
  automatic: boolean;
  by_card_owner: boolean | null;
  paused_reason: PausedReason | null;
  /** Whether it was begun after earlier declines were forgiven. */
  counts: boolean;
  declines: bigint;
}

function pausedBy({ failure_code, decline_code, declines }: Ended): PausedReason | undefined {
  if (failure_code === 'authentication_required') return 'authentication_required';
  // A card that was removed at the processor cannot be charged any more than a lost one.
  if (failure_code === 'payment_method_detached') return 'card_lost';
  if (LOST.includes(decline_code ?? '')) return 'card_lost';
  return declines >= DECLINES ? 'declined' : undefined;
}

// A charge that was never sent, or was cancelled because its outcome stayed unknown, says nothing
// about the card.
const declinesInARow = sql`
  select count(*) from top_up f
   where f.account_id = t.account_id and f.automatic and f.status = 'failed'
     and f.failure_code not in ('not_executed', 'canceled') and f.created_at >= r.declines_since
     and not exists (
       select from top_up s
        where s.account_id = t.account_id and s.automatic
          and s.status not in ('created', 'processing', 'failed') and s.created_at > f.created_at)`;

/** Changes columns of the row as the system; such changes are audited without an actor. */
export async function changeAutoReload(
  tx: Tx,
  accountId: string,
  action: string,
  requestId: string,
  set: Sql,
): Promise<void> {
  const state = (row: Sql) =>
    sql`jsonb_build_object('enabled', ${row}.enabled, 'paused_reason', ${row}.paused_reason)`;
  await tx.many(sql`
    with caller as (select null::uuid as user_id, null::uuid as key_id, null::uuid as session_id),
    current as materialized (
      select * from auto_reload where account_id = ${accountId} for update),
    changed as (
      update auto_reload r set ${set}, updated_at = ${newRevision}
        from current c where r.account_id = c.account_id returning r.*)
    ${auditRow({
      action,
      requestId,
      target: sql`ch.account_id`,
      organization: sql`a.organization_id`,
      before: state(sql`c`),
      after: state(sql`ch`),
      from: sql`changed ch
                join current c using (account_id)
                join billing_account a on a.id = ch.account_id`,
    })}`);
}
