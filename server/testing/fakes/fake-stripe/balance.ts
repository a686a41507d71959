import type Stripe from 'stripe';
import { missing } from './failure.ts';
import type { Params } from './form.ts';
import { page } from './pages.ts';
import { type BalanceTransaction, newId, type State, seconds } from './state.ts';

const DAY = 86_400;

/** As Stripe publishes it for a card of the United States: 2.9 % and 30 cents. */
const chargeFee = (cents: number): number => Math.round((cents * 29) / 1_000) + 30;

/** What a bank takes for a dispute, and keeps whoever wins. */
const DISPUTE_FEE = 1_500;

type Change = Pick<BalanceTransaction, 'amount' | 'type' | 'reporting_category'> & {
  source: string;
  fee?: number;
};

function change(
  state: State,
  { amount, type, reporting_category, source, fee = 0 }: Change,
): BalanceTransaction {
  const created = seconds(state);
  const made = {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: created + 2 * DAY,
    balance_type: 'payments',
    created,
    currency: 'usd',
    description: null,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency: 'usd',
              description: 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category,
    source,
    status: 'pending',
    type,
  } satisfies Stripe.BalanceTransaction;
  state.balance.push(made);
  return made;
}

/** The balance grows by a charge, less its fee. */
export const charged = (state: State, source: string, cents: number): BalanceTransaction =>
  change(state, {
    amount: cents,
    fee: chargeFee(cents),
    source,
    type: 'charge',
    reporting_category: 'charge',
  });

/** A refund does not bring the fee of its charge back. */
export const refunded = (state: State, source: string, cents: number): BalanceTransaction =>
  change(state, { amount: -cents, source, type: 'refund', reporting_category: 'refund' });

export const refundFailed = (state: State, source: string, cents: number): BalanceTransaction =>
  change(state, {
    amount: cents,
    source,
    type: 'refund_failure',
    reporting_category: 'refund_failure',
  });

export const disputed = (state: State, source: string, cents: number): BalanceTransaction =>
  change(state, {
    amount: -cents,
    fee: DISPUTE_FEE,
    source,
    type: 'adjustment',
    reporting_category: 'dispute',
  });

export const reinstated = (state: State, source: string, cents: number): BalanceTransaction =>
  change(state, {
    amount: cents,
    source,
    type: 'adjustment',
    reporting_category: 'dispute_reversal',
  });

/** Stripe bills the account for something that is not part of a charge. */
export const billed = (state: State, cents: number): BalanceTransaction =>
  change(state, {
    amount: -cents,
    source: newId('fee'),
    type: 'stripe_fee',
    reporting_category: 'fee',
  });

/** An automatic payout of everything that was not paid out before. */
export function payOut(state: State): BalanceTransaction {
  const unpaid = state.balance.filter(({ id }) => !state.payouts.has(id));
  const source = newId('po');
  const amount = -unpaid.reduce((sum, { net }) => sum + net, 0);
  const made = change(state, { amount, source, type: 'payout', reporting_category: 'payout' });
  for (const { id } of [...unpaid, made]) state.payouts.set(id, source);
  return made;
}

const FILTERS = ['type', 'currency', 'source'] as const;

/** GET /v1/balance_transactions: newest first, with the filters and pages of Stripe. */
export function listBalance(state: State, params: Params): unknown {
  const { payout } = params;
  if (typeof payout === 'string' && ![...state.payouts.values()].includes(payout))
    throw missing('payout', payout, 'payout');
  const all = state.balance.filter(
    (one) =>
      FILTERS.every((name) => params[name] === undefined || one[name] === params[name]) &&
      (payout === undefined || state.payouts.get(one.id) === payout),
  );
  const listed = page('/v1/balance_transactions', all.reverse(), params, [...FILTERS, 'payout']);
  const expand = typeof params.expand === 'object' ? Object.values(params.expand) : [];
  if (!expand.includes('data.source')) return listed;
  return { ...listed, data: listed.data.map((one) => ({ ...one, source: sourceOf(state, one) })) };
}

/** GET /v1/balance_transactions/:id. */
export function balanceTransaction(state: State, id: string): BalanceTransaction {
  const found = state.balance.find((one) => one.id === id);
  if (found === undefined) throw missing('balance transaction', id);
  return found;
}

const sourceOf = (state: State, { source }: BalanceTransaction): unknown =>
  [state.charges, state.refunds, state.disputes].map((all) => all.get(source)).find(Boolean) ??
  source;
