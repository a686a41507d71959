import { rolesThatMay } from '../../access/roles.ts';
import { auditRow } from '../../audit/audit.ts';
import type { Database, Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { MICRO_PER_CENT, microUsd } from '../ledger/money.ts';
import type { TopUpLimits } from '../top-ups/charge.ts';
import type { Standing, TopUp, TopUps } from '../top-ups/top-ups.ts';
import { automaticCharges, newRevision, type PausedReason } from './settings.ts';

/** What one run did: accounts that were looked at, charges that were begun. */
export interface AutoReloadRun {
  considered: number;
  begun: number;
}

const BATCH = 20;
const DECLINES = 3n;

/**
 * Charges the card of an account that has fallen below its threshold, if every rule of auto-reload allows it: decides
 * under the account's lock, where at most one top-up is recorded, then takes it along the usual path (money.md).
 * `undefined`: nothing was charged. Safe in any number of processes.
 */
export async function considerAutoReload(
  db: Database,
  topUps: TopUps,
  limits: TopUpLimits,
  accountId: string,
): Promise<Standing | undefined> {
  const topUpId = await db.transaction((tx) => decide(tx, topUps, limits, accountId));
  return topUpId === undefined ? undefined : topUps.drive(topUpId);
}

/**
 * One round of the worker: what was just switched on or changed, every account that qualifies, and each enabled one
 * once a day (its card or its owner may have gone). Any number of processes may run it; what one of them fails at is
 * left to a later round, and told when the others are done.
 */
export async function runDueAutoReloads(
  db: Database,
  topUps: TopUps,
  limits: TopUpLimits,
): Promise<AutoReloadRun> {
  const total: AutoReloadRun = { considered: 0, begun: 0 };
  const errors: unknown[] = [];
  for (;;) {
    const [asked, due] = [await takeAsked(db), await takeDue(db, limits)];
    const accounts = new Set([...asked, ...due].map(({ account_id }) => account_id));
    const done = await Promise.allSettled(
      [...accounts].map((accountId) => considerAutoReload(db, topUps, limits, accountId)),
    );
    total.considered += accounts.size;
    for (const each of done) {
      if (each.status === 'rejected') errors.push(each.reason);
      else if (each.value !== undefined) total.begun++;
    }
    if (asked.length < BATCH && due.length < BATCH) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, 'auto-reload failed for some accounts');
  return total;
}

/** The accounts that would be charged now: one statement over the enabled ones. */
export const dueAutoReloads = async (db: Database, limits: TopUpLimits): Promise<string[]> =>
  (
    await db.many<{ account_id: string }>(
      sql`select r.account_id from ${watched} where ${watching} and ${qualifies(limits)} order by r.looked_at, r.account_id`,
    )
  ).map(({ account_id }) => account_id);

/** Has a worker look at the account once this transaction is committed. */
export async function askForAutoReload(tx: Tx, accountId: string): Promise<void> {
  // Taking hold of a row that is there already keeps a worker from working it off before this commits.
  await tx.many(sql`
    insert into outbox (topic, key, payload)
    values ('auto_reload_due', ${accountId}, jsonb_build_object('account_id', ${accountId}::uuid))
    on conflict (topic, key) do update set payload = excluded.payload`);
}

/**
 * Pauses or resumes auto-reload after a top-up came to its end. Call it in the transaction that wrote `succeeded` or
 * `failed`, after that. It counts what the rows say, so a second call changes nothing.
 */
export async function afterTopUp(tx: Tx, { id }: Pick<TopUp, 'id'>): Promise<void> {
  const ended = await tx.maybeOne<Ended>(sql`
    select t.account_id, t.request_id, t.status, t.automatic, t.failure_code, t.decline_code, r.paused_reason,
           t.created_at >= r.declines_since as counts, (${declinesInARow}) as declines
      from top_up t join auto_reload r on r.account_id = t.account_id where t.id = ${id} for update of r`);
  if (ended === undefined) return;
  const { account_id, request_id } = ended;
  if (ended.status === 'succeeded' && !ended.automatic) {
    await tx.many(
      sql`update auto_reload set declines_since = now() where account_id = ${account_id}`,
    );
    if (ended.paused_reason === null) return;
    await change(tx, account_id, 'auto_reload.resume', request_id, sql`paused_reason = null`);
    await askForAutoReload(tx, account_id);
  }
  const reason =
    ended.status === 'failed' && ended.automatic && ended.counts ? pausedBy(ended) : undefined;
  if (reason !== undefined && ended.paused_reason === null)
    await change(tx, account_id, 'auto_reload.pause', request_id, sql`paused_reason = ${reason}`);
}

/**
 * Pauses auto-reload of an account whose money went back to a card: charging that card again is what nobody asked for.
 * Call it in the transaction that posted the debit, under the account's lock. A person resumes it.
 */
export async function afterTakenBack(
  tx: Tx,
  accountId: string,
  reason: 'refunded' | 'disputed',
  requestId: string,
): Promise<void> {
  const running = await tx.maybeOne(sql`
    select account_id from auto_reload where account_id = ${accountId} and enabled and paused_reason is null for update`);
  if (running !== undefined)
    await change(tx, accountId, 'auto_reload.pause', requestId, sql`paused_reason = ${reason}`);
}

interface Ended
  extends Pick<TopUp, 'account_id' | 'request_id' | 'status' | 'failure_code' | 'decline_code'> {
  automatic: boolean;
  paused_reason: PausedReason | null;
  counts: boolean;
  declines: bigint;
}

function pausedBy({ failure_code, decline_code, declines }: Ended): PausedReason | undefined {
  if (failure_code === 'authentication_required') return 'authentication_required';
  // A card that was removed at the processor is as lost as one that its bank calls so.
  if (failure_code === 'payment_method_detached') return 'card_lost';
  if (['lost_card', 'stolen_card', 'pickup_card'].includes(decline_code ?? '')) return 'card_lost';
  return declines >= DECLINES ? 'declined' : undefined;
}

// What was given up because nothing was sent, or fenced because nothing was known, says nothing about the card.
const declinesInARow = sql`
  select count(*) from top_up f
   where f.account_id = t.account_id and f.automatic and f.status = 'failed'
     and f.failure_code not in ('not_executed', 'canceled') and f.created_at >= r.declines_since
     and not exists (select from top_up s where s.account_id = t.account_id and s.automatic
                        and s.status not in ('created', 'processing', 'failed') and s.created_at > f.created_at)`;

/** An account as the decision needs it. Amounts in micro-USD; `available` counts money that is on its way. */
interface Situation {
  payment_method_id: string;
  payer_id: string;
  threshold: bigint;
  amount: bigint;
  monthly_cap: bigint;
  available: bigint;
  spent: bigint;
  made: bigint;
  may_be_charged: boolean;
  removed: boolean;
  due: boolean;
}

// Returns the top-up to drive. Everything is read after the lock, so that a charge somebody else began is seen.
async function decide(
  tx: Tx,
  topUps: TopUps,
  limits: TopUpLimits,
  accountId: string,
): Promise<string | undefined> {
  await tx.many(sql`select id from billing_account where id = ${accountId} for update`);
  const now = await tx.maybeOne<Situation>(sql`
    select r.*, p.user_id as payer_id, p.detached_at is not null as removed, ${mayBeCharged} as may_be_charged,
           ${available} as available, c.spent, c.made, ${qualifies(limits)} as due
      from ${watched} where ${watching} and r.account_id = ${accountId}`);
  if (now === undefined) return undefined;
  const request = `auto:${accountId}:${now.made + 1n}`;
  if (!now.may_be_charged) {
    await change(tx, accountId, 'auto_reload.switch_off', request, sql`enabled = false`);
  } else if (now.removed) {
    await change(tx, accountId, 'auto_reload.pause', request, sql`paused_reason = 'card_lost'`);
  }
  if (!now.may_be_charged || now.removed || !now.due) return undefined;

  const { topUp } = await topUps.start(tx, {
    accountId,
    userId: now.payer_id,
    // Nobody's key asked for it.
    keyId: null,
    requestId: request,
    paymentMethodId: now.payment_method_id,
    amount: chargeOf(now, limits),
    // Not ASCII, so that no Idempotency-Key of a request can be the same.
    clientKey: request.replaceAll(':', '·'),
  });
  // A request's own top-up that this one joined stays what it is, and is driven by its request.
  const mine = await tx.maybeOne(sql`
    update top_up set automatic = true where id = ${topUp.id} and created_at = now() returning id`);
  return mine === undefined ? undefined : topUp.id;
}

const micro = (usd: number): bigint => microUsd(String(usd)) as bigint;

// One charge closes the gap, in whole cents, as far as the limits let it.
function chargeOf(
  { threshold, amount, monthly_cap, available, spent }: Situation,
  limits: TopUpLimits,
): bigint {
  const gap = threshold - available;
  const wanted = [gap, micro(limits.minimum)].reduce(
    (most, each) => (each > most ? each : most),
    amount,
  );
  const cents = ((wanted + MICRO_PER_CENT - 1n) / MICRO_PER_CENT) * MICRO_PER_CENT;
  return [monthly_cap - spent, micro(limits.maximum)].reduce(
    (least, each) => (each < least ? each : least),
    cents,
  );
}

// `r`, `a` its account, `p` its card, `c` its automatic charges.
const watched = sql`
  auto_reload r join billing_account a on a.id = r.account_id join payment_method p on p.id = r.payment_method_id
  ${automaticCharges}`;

const watching = sql`
  r.enabled and r.paused_reason is null and r.threshold is not null and a.status <> 'closed'`;

// A top-up by hand that is under way may close the gap: nobody should be charged twice for it.
const available = sql`(a.balance - a.held + (
  select coalesce(sum(t.amount), 0)::bigint from top_up t
   where t.account_id = a.id and t.status in ('created', 'processing')))`;

const qualifies = ({ minimum }: TopUpLimits): Sql => sql`
  (a.balance - a.held < r.threshold and ${available} < r.threshold and not c.open and c.free_at <= now()
   and c.spent + ${micro(minimum)}::bigint <= r.monthly_cap
   -- What a refund holds is on its way back to a card: nobody should be charged in its place.
   and not exists (select from hold h where h.account_id = a.id and h.status = 'open' and h.reference_type = 'refund'))`;

// A card is never charged for somebody else's workspace (ruling 5.5), nor what somebody else decided (ruling 10.2):
// its owner must have set the figures, and still be allowed to add funds there by role and by the two-factor policy. A
// personal balance takes the person's own card.
const mayBeCharged = sql`
  exists (select from app_user u where u.id = p.user_id and u.is_active) and case a.kind
    when 'user' then a.user_id = p.user_id
    else exists (select from auto_reload_set_by s where s.account_id = a.id and s.user_id = p.user_id) and exists (
      select from membership m join organization o on o.id = m.organization_id join role on role.id = m.role_id
                               join app_user u on u.id = m.user_id
       where m.organization_id = a.organization_id and m.user_id = p.user_id and (u.two_factor or not o.require_2fa)
         and case when o.owner_user_id = m.user_id then 'owner' else role.acts_as end
             = any(${rolesThatMay('add_funds')}::text[])) end`;

const takeAsked = (db: Database) =>
  db.many<{ account_id: string }>(sql`
    delete from outbox where id in (
      select id from outbox where topic = 'auto_reload_due' and done_at is null
       order by created_at limit ${BATCH} for update skip locked)
    returning payload ->> 'account_id' as account_id`);

// A crash between a taking and a look costs a few seconds: what qualifies still qualifies then.
const takeDue = (db: Database, limits: TopUpLimits) =>
  db.many<{ account_id: string }>(sql`
    with due as (
      select r.account_id from ${watched}
       where ${watching} and r.looked_at < now() - interval '10 seconds'
         -- Said first by itself, so that charges are only summed up for accounts that are low.
         and (r.looked_at < now() - interval '1 day' or a.balance - a.held < r.threshold)
         and (r.looked_at < now() - interval '1 day' or ${qualifies(limits)})
       order by r.looked_at limit ${BATCH} for update of r skip locked)
    update auto_reload r set looked_at = now() from due where r.account_id = due.account_id returning r.account_id`);

// What nobody did is recorded as done by nobody.
async function change(
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
    current as materialized (select * from auto_reload where account_id = ${accountId} for update),
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
      from: sql`changed ch join current c using (account_id) join billing_account a on a.id = ch.account_id`,
    })}`);
}
