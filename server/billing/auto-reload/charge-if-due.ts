import type { Database, Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { MICRO_PER_CENT } from '../ledger/money.ts';
import { changeAutoReload } from '../top-ups/pause-auto-reload.ts';
import type { TopUpLimits } from '../top-ups/top-up.ts';
import type { TopUpState, TopUps } from '../top-ups/top-ups.ts';
import { autoReloads, available, isDue, isRunning, mayBeCharged, micro } from './eligibility.ts';

/**
 * Charges the card of an account that has fallen below its threshold, if all rules of auto-reload
 * allow it. The decision is made while the account is locked and records at most one top-up, which
 * then takes the usual steps (money.md). `undefined`: nothing was charged. Any number of processes
 * may call it. Auto-reload depends on top-ups, never the other way round
 * (top-ups/pause-auto-reload.ts).
 */
export async function chargeIfDue(
  db: Database,
  topUps: TopUps,
  limits: TopUpLimits,
  accountId: string,
): Promise<TopUpState | undefined> {
  const topUpId = await db.transaction((tx) => startIfDue(tx, topUps, limits, accountId));
  return topUpId === undefined ? undefined : topUps.advance(topUpId);
}

/**
 * An auto-reload as the decision needs it. Amounts are micro-USD; `available` includes money that
 * is on its way.
 */
interface Candidate {
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
  running: boolean;
  due: boolean;
}

// Returns the top-up to advance. Everything is read after the account was locked, so that a charge
// begun by another process is seen.
async function startIfDue(
  tx: Tx,
  topUps: TopUps,
  limits: TopUpLimits,
  accountId: string,
): Promise<string | undefined> {
  await tx.many(sql`select id from billing_account where id = ${accountId} for update`);
  const candidate = await tx.maybeOne<Candidate>(sql`
    select r.payment_method_id, r.threshold, r.amount, r.monthly_cap,
           p.user_id as payer_id, p.detached_at is not null as removed,
           ${mayBeCharged} as may_be_charged, ${available} as available,
           c.spent, c.made, ${isRunning} as running, ${isDue(limits)} as due
      from ${autoReloads}
     where r.enabled and a.status <> 'closed' and r.account_id = ${accountId}`);
  if (candidate === undefined) return undefined;
  const requestId = `auto:${accountId}:${candidate.made + 1n}`;
  const change = (action: string, set: Sql) =>
    changeAutoReload(tx, accountId, action, requestId, set);
  // Also while it is paused: the card of a person who cannot switch it off must not stay in use.
  if (!candidate.may_be_charged) await change('auto_reload.switch_off', sql`enabled = false`);
  if (!candidate.may_be_charged || !candidate.running) return undefined;
  if (candidate.removed) await change('auto_reload.pause', sql`paused_reason = 'card_lost'`);
  if (candidate.removed || !candidate.due) return undefined;

  const { topUp } = await topUps.start(tx, {
    accountId,
    userId: candidate.payer_id,
    keyId: null,
    requestId,
    paymentMethodId: candidate.payment_method_id,
    amount: amountOf(candidate, limits),
    // Not ASCII, so that it differs from every Idempotency-Key of a request. A key of its own keeps
    // an automatic charge from joining a request, and a request from joining it.
    clientKey: requestId.replaceAll(':', '·'),
  });
  const started = await tx.maybeOne(sql`
    update top_up set automatic = true where id = ${topUp.id} and created_at = now() returning id`);
  return started === undefined ? undefined : topUp.id;
}

const largest = (first: bigint, ...rest: bigint[]) =>
  rest.reduce((most, each) => (each > most ? each : most), first);
const smallest = (first: bigint, ...rest: bigint[]) =>
  rest.reduce((least, each) => (each < least ? each : least), first);

// One charge closes the gap, in whole cents, as far as the limits allow.
function amountOf(
  { threshold, amount, monthly_cap, available, spent }: Candidate,
  limits: TopUpLimits,
): bigint {
  const wanted = largest(amount, threshold - available, micro(limits.minimum));
  const inCents = ((wanted + MICRO_PER_CENT - 1n) / MICRO_PER_CENT) * MICRO_PER_CENT;
  return smallest(inCents, monthly_cap - spent, micro(limits.maximum));
}
