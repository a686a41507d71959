import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, sqlState, type Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Outcome, Processor } from '../cards/processor.ts';
import { issueInvoices } from '../invoices/issue.ts';
import { seesBilling } from '../ledger/sees-billing.ts';
import { type Cancellation, fail, markNotExecuted, settle } from './end-top-up.ts';
import { mayCharge } from './may-charge.ts';
import { startTopUp, type TopUpRequest } from './start-top-up.ts';
import { isOpen, TEST_MONEY_ENDED, TEST_MONEY_IS_REFUSED, type TopUp } from './top-up.ts';

/**
 * The state of a top-up as stored, whoever changed it last: a webhook may have been faster than an
 * attempt. `balance`: of the account that was credited; `seesBilling`: whether its payer may still
 * see that, and so charge a card for it. `action`: the cardholder has to confirm it, in a browser
 * with `clientSecret`.
 */
export type TopUpState =
  | { kind: 'settled'; topUp: TopUp; balance: bigint; seesBilling: boolean }
  | { kind: 'open'; topUp: TopUp; balance: bigint; action?: { clientSecret?: string } }
  | { kind: 'failed'; topUp: TopUp; seesBilling: boolean };

export interface TopUps {
  /** Only top-ups of this processor are changed. */
  readonly processor: Processor['name'];
  /** Step 1: records the intended charge, or finds the top-up that this request joins. */
  start(tx: Tx, request: TopUpRequest): Promise<{ topUp: TopUp; joined: boolean }>;
  /**
   * Steps 2 to 5: advances a top-up as far as possible. It may be called again, after a crash or in
   * parallel.
   */
  advance(topUpId: string): Promise<TopUpState>;
  /** Ends an open top-up for good: cancels its intent and applies what the processor says then. */
  cancelAndSettle(topUpId: string): Promise<TopUpState>;
  /**
   * Cancels an open charge whose cardholder is there; any other is left as it is. The intent is
   * cancelled before the top-up fails, so that no money can move afterwards; a charge that succeeded
   * before is credited instead. `by` is stored before the processor is asked, so that whoever learns
   * from it that the charge is cancelled records by whom.
   */
  cancel(topUpId: string, by: Cancellation): Promise<TopUpState>;
  /** Only on the sandbox: confirms a charge as its cardholder would, or refuses to. */
  authenticate?: ((topUpId: string, confirms: boolean) => Promise<void>) | undefined;
  /** Waits, up to a limit, until another request has ended it. */
  waitFor(topUpId: string): Promise<TopUpState>;
}

/**
 * The steps of a top-up (money.md): record → create → record → confirm → settle. No transaction is
 * open during a call to the processor, and a top-up that is not known to have failed stays
 * `processing`. `log` gets the reason of an outcome that is not final.
 */
export function topUps(
  db: Database,
  processor: Processor,
  { waitAtMost = 10_000, log }: { waitAtMost?: number; log?: Logger } = {},
): TopUps {
  const canAdvance = (topUp: TopUp) => isOpen(topUp) && topUp.processor === processor.name;
  return {
    processor: processor.name,
    start: (tx, request) => startTopUp(tx, request, processor.name),
    advance,
    cancelAndSettle,
    cancel,
    authenticate: processor.authenticate && authenticate,
    waitFor,
  };

  async function authenticate(topUpId: string, confirms: boolean): Promise<void> {
    const { processor_id } = await db.one<{ processor_id: string | null }>(sql`
      select processor_id from top_up where id = ${topUpId}`);
    if (processor_id !== null) await processor.authenticate?.(processor_id, confirms);
  }

  async function advance(topUpId: string): Promise<TopUpState> {
    const topUp = await db.one<ToAdvance>(sql`
      select t.*, p.token, payer.id as payer_account_id, e.until as attended_until,
             ${mayCharge} as may_charge
        from top_up t
        left join attended_top_up e on e.top_up_id = t.id
        join payment_method p on p.id = t.payment_method_id
        join billing_account payer on payer.user_id = p.user_id
       where t.id = ${topUpId}`);
    if (!canAdvance(topUp)) return stateOf(topUpId);
    // What was captured before its person lost the right is credited.
    if (!topUp.may_charge) return cancelAndSettle(topUpId);
    const { account_id: accountId, payer_account_id: payerAccountId, amount, token } = topUp;
    const charge = { topUpId, accountId, payerAccountId, amount, token };
    let intentId = topUp.processor_id;
    if (intentId === null) {
      const created = await processor.create(charge);
      intentId = 'intentId' in created ? (created.intentId ?? null) : null;
      if (intentId === null) return applyOutcome(topUpId, created);
      if (!(await recordIntent(topUpId, intentId))) {
        // The top-up was ended meanwhile, or has another intent, or its person lost the right. An
        // intent that is not recorded is never confirmed; none is left at the processor either.
        await processor.cancel(intentId);
        return advance(topUpId);
      }
      if (created.kind !== 'open') return applyOutcome(topUpId, created);
    }
    const confirmed =
      topUp.attended_until == null
        ? await processor.confirm(intentId, charge)
        : await processor.attend(intentId, charge);
    if (confirmed.kind !== 'requiresAction')
      return applyOutcome(topUpId, await confirmedOrCancelled(intentId, confirmed));
    const state = await stateOf(topUpId);
    const { clientSecret } = confirmed;
    return state.kind === 'open'
      ? { ...state, action: clientSecret === undefined ? {} : { clientSecret } }
      : state;
  }

  async function cancelAndSettle(topUpId: string): Promise<TopUpState> {
    const topUp = await db.one<TopUp>(sql`select * from top_up where id = ${topUpId}`);
    if (!canAdvance(topUp)) return stateOf(topUpId);
    if (topUp.processor_id !== null)
      return applyOutcome(topUpId, await processor.cancel(topUp.processor_id));
    // Only a recorded intent is ever confirmed, so nothing can have been charged.
    await markNotExecuted(db, topUpId);
    return stateOf(topUpId);
  }

  async function cancel(topUpId: string, by: Cancellation): Promise<TopUpState> {
    const { topUp } = await stateOf(topUpId);
    if (!canAdvance(topUp) || topUp.attended_until == null) return stateOf(topUpId);
    await db.many(sql`
      insert into top_up_cancellation (top_up_id, key_id, session_id, request_id)
      values (${topUpId}, ${by.keyId}, ${by.sessionId}, ${by.requestId}) on conflict do nothing`);
    const { processor_id: intentId } = topUp;
    // Only a recorded intent is ever confirmed.
    const outcome = intentId === null ? FENCED : await processor.cancel(intentId);
    // Whatever else is said, the intent may still be confirmed.
    const ended = outcome.kind === 'succeeded' || outcome.kind === 'canceled';
    return ended ? applyOutcome(topUpId, outcome) : stateOf(topUpId);
  }

  // After a decline the intent is cancelled, so that it cannot be charged later. What the processor
  // says then counts.
  async function confirmedOrCancelled(intentId: string, confirmed: Outcome): Promise<Outcome> {
    if (!['declined', 'notExecuted', 'cardGone'].includes(confirmed.kind)) return confirmed;
    const cancelled = await processor.cancel(intentId);
    if (cancelled.kind === 'succeeded') return cancelled;
    if (cancelled.kind === 'canceled') return confirmed;
    const why = 'reason' in cancelled ? cancelled.reason : cancelled.kind;
    return { kind: 'unknown', reason: `not cancelled: ${why}` };
  }

  async function applyOutcome(topUpId: string, outcome: Outcome): Promise<TopUpState> {
    // The log is the only place for the reason: the caller gets a 503, or a 202.
    if (outcome.kind === 'notExecuted')
      log?.error({ topUpId, reason: outcome.reason }, 'the card processor did not accept a charge');
    if (outcome.kind === 'unknown')
      log?.warn(
        { topUpId, reason: outcome.reason },
        'the outcome of a charge is unknown; the top-up stays open',
      );
    switch (outcome.kind) {
      case 'succeeded':
        await db
          .transaction(async (tx) => {
            await settle(tx, topUpId);
            await issueInvoices(tx, topUpId);
          })
          .catch((error) => {
            if (sqlState(error) !== TEST_MONEY_IS_REFUSED) throw error;
            return fail(db, topUpId, TEST_MONEY_ENDED);
          });
        break;
      case 'declined':
        await fail(db, topUpId, outcome.decline.code, outcome.decline.declineCode);
        break;
      case 'canceled':
        await fail(db, topUpId, 'canceled');
        break;
      case 'cardGone':
        await fail(db, topUpId, 'payment_method_detached');
        break;
      case 'notExecuted':
        await markNotExecuted(db, topUpId);
        break;
    }
    return stateOf(topUpId);
  }

  async function stateOf(topUpId: string): Promise<TopUpState> {
    const { balance, sees_billing, ...topUp } = await db.one<Stored>(sql`
      select t.*, coalesce(l.balance, a.balance) as balance, ${seesBilling} as sees_billing,
             e.until as attended_until
        from top_up t
        join app_user u on u.id = t.user_id
        left join attended_top_up e on e.top_up_id = t.id
        left join ledger_transfer l on l.idempotency_key = 'topup:' || t.id || ':credit'
        join billing_account a on a.id = coalesce(l.account_id, t.account_id)
       where t.id = ${topUpId}`);
    if (topUp.status === 'failed') return { kind: 'failed', topUp, seesBilling: sees_billing };
    if (isOpen(topUp)) return { kind: 'open', topUp, balance };
    return { kind: 'settled', topUp, balance, seesBilling: sees_billing };
  }

  async function waitFor(topUpId: string): Promise<TopUpState> {
    const deadline = Date.now() + waitAtMost;
    for (let wait = 20; ; wait = Math.min(wait * 1.5, 500)) {
      const state = await stateOf(topUpId);
      if (state.kind !== 'open' || Date.now() + wait > deadline) return state;
      await pause(wait);
    }
  }

  // The right is asked for again, because the processor may have taken long to create the intent.
  async function recordIntent(topUpId: string, intentId: string): Promise<boolean> {
    const rows = await db.many(sql`
      update top_up t set processor_id = ${intentId}, status = 'processing', updated_at = now()
       where t.id = ${topUpId}
         and (t.status = 'created' or (t.status = 'processing' and t.processor_id = ${intentId}))
         and ${mayCharge}
      returning t.id`);
    return rows.length > 0;
  }
}

type ToAdvance = TopUp & { token: string; payer_account_id: string; may_charge: boolean };
type Stored = TopUp & { balance: bigint; sees_billing: boolean };

const FENCED = { kind: 'canceled', intentId: '' } as const;
