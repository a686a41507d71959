import type { Logger } from 'pino';
import { recordChange } from '../../audit/audit.ts';
import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError, idempotencyKeyReused, notFound } from '../../http/errors.ts';
import { afterTopUp } from '../auto-reload/auto-reload.ts';
import type { Charge, Outcome, Processor } from '../cards/processor.ts';
import { lockStandingAccount, post } from '../ledger/ledger.ts';
import { usdText } from '../ledger/money.ts';

/** A top-up as its row says. Amounts in micro-USD. */
export interface TopUp {
  id: string;
  account_id: string;
  user_id: string;
  key_id: string | null;
  request_id: string;
  payment_method_id: string;
  amount: bigint;
  status:
    | 'created'
    | 'processing'
    | 'succeeded'
    | 'failed'
    | 'partially_refunded'
    | 'refunded'
    | 'disputed';
  client_key: string | null;
  /** Who charges the card; nobody else ever drives, ends or refunds it. */
  processor: Processor['name'];
  processor_id: string | null;
  failure_code: string | null;
  decline_code: string | null;
}

/** What a caller asks for. `clientKey`: their Idempotency-Key, under which at most one charge is ever captured. */
export interface TopUpRequest {
  accountId: string;
  userId: string;
  /** Null when no request asked for it: an automatic charge. */
  keyId: string | null;
  requestId: string;
  paymentMethodId: string;
  amount: bigint;
  clientKey: string | undefined;
}

/** Where a top-up stands after an attempt, by its row: a webhook may have been faster than the attempt. */
export type Standing =
  | { kind: 'settled'; topUp: TopUp; balance: bigint }
  | { kind: 'open'; topUp: TopUp; balance: bigint }
  | { kind: 'failed'; topUp: TopUp };

// 10^9 USD: below it a balance prints exactly as a JSON number (money.md).
export const BALANCE_CAP = 1_000_000_000_000_000n;

/** How long after its success an identical request without a key gets the same top-up (ruling 6). */
const JOIN_FOR = '10 seconds';

const paymentMethodNotFound = apiError(
  404,
  'payment_method_not_found',
  'No saved card has this payment_method_id',
);
const paymentMethodForbidden = apiError(
  403,
  'payment_method_forbidden',
  'This card belongs to another person: use one of your own',
);
const paymentMethodDetached = fieldError(
  'payment_method_detached',
  ['body', 'payment_method_id'],
  'This card was removed: save it again or use another card',
);
const balanceLimit = apiError(
  409,
  'balance_limit',
  'The balance must not exceed 1000000000.00 USD',
);

const open = (topUp: TopUp) => topUp.status === 'created' || topUp.status === 'processing';

export interface TopUps {
  /** Whose top-ups these are: the others are left as they are. */
  readonly processor: Processor['name'];
  /** Steps 1 of the path: records the intent to charge, or finds the one that this request joins. */
  start(tx: Tx, request: TopUpRequest): Promise<{ topUp: TopUp; joined: boolean }>;
  /** Steps 2 to 5: takes a top-up as far as it goes now. Safe to call again, after a crash or beside another call. */
  drive(topUpId: string): Promise<Standing>;
  /** Ends an open top-up for good: cancels its intent, and takes the processor's last word. */
  fence(topUpId: string): Promise<Standing>;
  /** Waits until another request has driven it to an end, for a while. */
  follow(topUpId: string): Promise<Standing>;
}

/**
 * The path of a top-up (money.md): record → create → record → confirm → settle. No transaction is open across a call
 * to the processor, and what is not known to have failed stays `processing`. `log` is told why.
 */
export function topUps(
  db: Database,
  processor: Processor,
  { followFor = 10_000, log }: { followFor?: number; log?: Logger } = {},
): TopUps {
  const mine = (topUp: TopUp) => open(topUp) && topUp.processor === processor.name;
  return {
    processor: processor.name,
    start: (tx, request) => start(tx, request, processor.name),
    drive,
    fence,
    follow,
  };

  async function drive(topUpId: string): Promise<Standing> {
    const topUp = await db.one<TopUp & { token: string; payer_account_id: string }>(sql`
      select t.*, p.token, a.id as payer_account_id
        from top_up t join payment_method p on p.id = t.payment_method_id join billing_account a on a.user_id = p.user_id
       where t.id = ${topUpId}`);
    if (!mine(topUp)) return standing(topUpId);
    const { account_id: accountId, payer_account_id: payerAccountId, amount, token } = topUp;
    const charge = { topUpId, accountId, payerAccountId, amount, token };
    let intentId = topUp.processor_id;
    if (intentId === null) {
      const created = await processor.create(charge);
      intentId = 'intentId' in created ? (created.intentId ?? null) : null;
      if (intentId === null) return conclude(topUpId, created);
      // Somebody else brought it to an end meanwhile: an intent that is not on record is never confirmed.
      if (!(await recordIntent(topUpId, intentId))) return standing(topUpId);
      if (created.kind !== 'open') return conclude(topUpId, created);
    }
    return conclude(topUpId, await confirmOrFence(intentId, charge));
  }

  async function fence(topUpId: string): Promise<Standing> {
    const topUp = await db.one<TopUp>(sql`select * from top_up where id = ${topUpId}`);
    if (!mine(topUp)) return standing(topUpId);
    if (topUp.processor_id !== null)
      return conclude(topUpId, await processor.cancel(topUp.processor_id));
    // Without an intent on record none is ever confirmed, so nothing can have been charged.
    await giveUp(topUpId);
    return standing(topUpId);
  }

  // After a refusal the intent is cancelled, so that nothing can charge it later, and its last word is what counts.
  async function confirmOrFence(intentId: string, charge: Charge): Promise<Outcome> {
    const confirmed = await processor.confirm(intentId, charge);
    if (!['refused', 'notExecuted', 'cardGone'].includes(confirmed.kind)) return confirmed;
    const fenced = await processor.cancel(intentId);
    if (fenced.kind === 'succeeded') return fenced;
    return fenced.kind === 'canceled'
      ? confirmed
      : {
          kind: 'unknown',
          reason: `not fenced: ${'reason' in fenced ? fenced.reason : fenced.kind}`,
        };
  }

  async function conclude(topUpId: string, outcome: Outcome): Promise<Standing> {
    // Nobody else learns why: the caller gets a 503, or a 202.
    if (outcome.kind === 'notExecuted')
      log?.error({ topUpId, reason: outcome.reason }, 'the card processor did not accept a charge');
    if (outcome.kind === 'unknown')
      log?.warn(
        { topUpId, reason: outcome.reason },
        'the outcome of a charge is unknown; the top-up stays open',
      );
    switch (outcome.kind) {
      case 'succeeded':
        await db.transaction((tx) => settle(tx, topUpId));
        return standing(topUpId);
      case 'refused':
        await fail(topUpId, outcome.refusal.code, outcome.refusal.declineCode ?? null);
        return standing(topUpId);
      case 'canceled':
        await fail(topUpId, 'canceled', null);
        return standing(topUpId);
      case 'cardGone':
        await fail(topUpId, 'payment_method_detached', null);
        return standing(topUpId);
      case 'notExecuted':
        await giveUp(topUpId);
        return standing(topUpId);
      default:
        return standing(topUpId);
    }
  }

  async function standing(topUpId: string): Promise<Standing> {
    const row = await db.one<TopUp & { balance: bigint }>(sql`
      select t.*, coalesce(l.balance, a.balance) as balance
        from top_up t join billing_account a on a.id = t.account_id
        left join ledger_transfer l on l.idempotency_key = 'topup:' || t.id || ':credit'
       where t.id = ${topUpId}`);
    if (row.status === 'failed') return { kind: 'failed', topUp: row };
    return { kind: open(row) ? 'open' : 'settled', topUp: row, balance: row.balance };
  }

  async function follow(topUpId: string): Promise<Standing> {
    const deadline = Date.now() + followFor;
    for (let pause = 20; ; pause = Math.min(pause * 1.5, 500)) {
      const now = await standing(topUpId);
      if (now.kind !== 'open' || Date.now() + pause > deadline) return now;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async function recordIntent(topUpId: string, intentId: string): Promise<boolean> {
    const rows = await db.many(sql`
      update top_up set processor_id = ${intentId}, status = 'processing', updated_at = now()
       where id = ${topUpId}
         and (status = 'created' or (status = 'processing' and processor_id = ${intentId})) returning id`);
    return rows.length > 0;
  }

  async function fail(topUpId: string, code: string, declineCode: string | null): Promise<void> {
    await db.transaction(async (tx) => {
      const [failed] = await tx.many<TopUp>(sql`
        update top_up set status = 'failed', failure_code = ${code}, decline_code = ${declineCode},
                          next_check_at = null, updated_at = now()
         where id = ${topUpId} and status in ('created', 'processing') returning *`);
      if (failed !== undefined) await afterTopUp(tx, failed);
    });
  }

  // Nothing was sent: the client's key is freed with it, so that the same request may be made again.
  async function giveUp(topUpId: string): Promise<void> {
    await db.many(sql`
      update top_up set status = 'failed', failure_code = 'not_executed', client_key = null,
                        next_check_at = null, updated_at = now()
       where id = ${topUpId} and status in ('created', 'processing')`);
  }
}

/** Every refusal of a request for money, before a processor hears of it. */
export const topUpRefusals = {
  paymentMethodNotFound,
  paymentMethodForbidden,
  paymentMethodDetached,
  balanceLimit,
};

async function start(
  tx: Tx,
  request: TopUpRequest,
  processor: Processor['name'],
): Promise<{ topUp: TopUp; joined: boolean }> {
  const { accountId, userId, paymentMethodId, amount } = request;
  const account = await tx.maybeOne<{ balance: bigint }>(sql`
    select balance from billing_account where id = ${accountId} and status <> 'closed' for update`);
  // Its workspace was deleted after the request was authorized.
  if (account === undefined) throw notFound();
  const { card, pending, repeated } = await situation(tx, request);
  if (card === null) throw paymentMethodNotFound();
  if (card.user_id !== userId) throw paymentMethodForbidden();
  if (card.detached) throw paymentMethodDetached(paymentMethodId);
  if (repeated !== null)
    return { topUp: await tx.one(sql`select * from top_up where id = ${repeated}`), joined: true };
  // Checked before a card is charged: money that was captured must always fit.
  if (account.balance + pending + amount > BALANCE_CAP) throw balanceLimit();
  return insertOrJoin(tx, request, processor);
}

interface Situation {
  card: { user_id: string; detached: boolean } | null;
  /** Micro-USD that open top-ups may still bring. */
  pending: bigint;
  repeated: string | null;
}

// A statement of its own after the one that locks the account: credits need that lock, so this one sees all of them.
// `repeated`: the top-up that an identical request without a key was credited for less than 10 s ago (ruling 6), unless
// any of its money went back or is about to.
const situation = (tx: Tx, { accountId, paymentMethodId, amount, clientKey }: TopUpRequest) =>
  tx.one<Situation>(sql`
    select (select json_build_object('user_id', user_id, 'detached', detached_at is not null)
              from payment_method where id = ${paymentMethodId}) as card,
           (select coalesce(sum(amount), 0)::bigint from top_up
             where account_id = ${accountId} and status in ('created', 'processing')) as pending,
           (select t.id from ledger_transfer l join top_up t on t.id = l.reference_id
             where ${clientKey === undefined}
               and l.account_id = ${accountId} and l.kind = 'top_up'
               and l.created_at > now() - ${JOIN_FOR}::interval
               and t.account_id = l.account_id and t.payment_method_id = ${paymentMethodId}
               and t.amount = ${amount} and t.client_key is null and t.status = 'succeeded'
               and not exists (select from refund where top_up_id = t.id and status = 'created')
             order by l.created_at desc limit 1) as repeated`);

async function insertOrJoin(
  tx: Tx,
  request: TopUpRequest,
  processor: Processor['name'],
): Promise<{ topUp: TopUp; joined: boolean }> {
  const { accountId, userId, paymentMethodId, amount, clientKey = null } = request;
  // The arbiter is one unique index: of the client's key, or without one of the open twin (same account, card, amount).
  const [made] = await tx.many<TopUp>(sql`
    insert into top_up (account_id, user_id, key_id, request_id, payment_method_id, amount, client_key, processor)
    values (${accountId}, ${userId}, ${request.keyId}, ${request.requestId}, ${paymentMethodId}, ${amount},
            ${clientKey}, ${processor})
    on conflict do nothing returning *`);
  if (made !== undefined) return { topUp: made, joined: false };
  const first = await tx.maybeOne<TopUp>(
    clientKey === null
      ? sql`select * from top_up
             where account_id = ${accountId} and payment_method_id = ${paymentMethodId} and amount = ${amount}
               and client_key is null and status in ('created', 'processing')`
      : sql`select * from top_up where user_id = ${userId} and client_key = ${clientKey}`,
  );
  // It failed between the two statements: now there is room for a new one.
  if (first === undefined) return insertOrJoin(tx, request, processor);
  const { account_id, payment_method_id } = first;
  // The answer to a key is forgotten after a while, or was never kept (202); what was charged under it is not.
  if (account_id !== accountId || payment_method_id !== paymentMethodId || first.amount !== amount)
    throw idempotencyKeyReused();
  return { topUp: first, joined: clientKey === null };
}

/** Credits a captured top-up, once: to its account, or to the successor of one that was closed (ruling 3.8). */
export async function settle(tx: Tx, topUpId: string): Promise<void> {
  const topUp = await tx.one<TopUp>(sql`select * from top_up where id = ${topUpId} for update`);
  if (!open(topUp) && topUp.status !== 'failed') return;
  const account = await lockStandingAccount(tx, topUp.account_id);
  const reference = { type: 'top_up', id: topUpId };
  const { balance } = await post(tx, {
    key: `topup:${topUpId}:credit`,
    kind: 'top_up',
    accountId: account.id,
    side: 'credit',
    counterpart: 'processor_clearing',
    amount: topUp.amount,
    reference,
  });
  await tx.many(sql`
    with succeeded as (
      update top_up set status = 'succeeded', failure_code = null, decline_code = null, next_check_at = null,
                        updated_at = now()
       where id = ${topUpId} returning id)
    insert into outbox (topic, key, payload)
    select 'top_up_succeeded', id, jsonb_build_object('top_up_id', id) from succeeded`);
  await recordChange(tx, {
    caller: { userId: topUp.user_id, keyId: topUp.key_id },
    action: 'funds.add',
    target: topUpId,
    before: { balance: usdText(account.balance) },
    after: { balance: usdText(balance) },
    requestId: topUp.request_id,
  });
  await afterTopUp(tx, topUp);
}
