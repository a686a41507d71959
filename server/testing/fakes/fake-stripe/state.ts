import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { CardDecline } from '../../../billing/cards/processor.ts';
import type { Kept } from './idempotency.ts';

/** Money that really moved. Amounts in micro-USD, always positive. */
export interface Movement {
  kind: 'capture' | 'refund' | 'refund_failed' | 'dispute_withdrawn' | 'dispute_reinstated';
  amount: bigint;
  intentId: string;
  topUpId: string | undefined;
  at: Date;
}

/** Objects have the shape of Stripe's API; amounts in cents, times in seconds. */
export interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  payment_method: string | null;
  status:
    | 'requires_confirmation'
    | 'requires_payment_method'
    | 'requires_action'
    | 'processing'
    | 'succeeded'
    | 'canceled';
  client_secret: string;
  last_payment_error: Record<string, unknown> | null;
  latest_charge: string | null;
  metadata: Record<string, string>;
  created: number;
  canceled_at: number | null;
  livemode: false;
}

export interface ChargeObject {
  id: string;
  object: 'charge';
  amount: number;
  amount_refunded: number;
  refunded: boolean;
  disputed: boolean;
  paid: boolean;
  balance_transaction: string | null;
  status: 'succeeded' | 'failed';
  payment_intent: string;
  customer: string | null;
  metadata: Record<string, string>;
  created: number;
}

export interface RefundObject {
  id: string;
  object: 'refund';
  amount: number;
  balance_transaction: string | null;
  failure_balance_transaction?: string;
  charge: string;
  payment_intent: string;
  status: 'succeeded' | 'failed';
  failure_reason?: string;
  metadata: Record<string, string>;
  created: number;
}

export interface DisputeObject {
  id: string;
  object: 'dispute';
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  status: 'needs_response' | 'won' | 'lost';
  balance_transactions: BalanceTransaction[];
  created: number;
}

/** As the SDK has it, with the id of its source. */
export type BalanceTransaction = Stripe.BalanceTransaction & { source: string };

export interface SetupObject {
  id: string;
  object: 'setup_intent';
  client_secret: string;
  customer: string;
  payment_method: string | null;
  status: 'requires_payment_method' | 'succeeded' | 'canceled';
  usage: string;
  last_setup_error: Record<string, unknown> | null;
  metadata: Record<string, string>;
  created: number;
  livemode: false;
}

export interface EventObject {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  livemode: false;
  type: string;
  data: { object: unknown };
}

/** A saved card of a test's own, beside the published ones. */
export interface Card {
  behaviour: CardDecline | 'pays';
  customer?: string;
  details?: {
    brand?: string | undefined;
    last4?: string | undefined;
    exp_month?: number;
    exp_year?: number;
    fingerprint?: string;
  };
}

/** Everything the fake knows. It outlives the server that shows it. */
export interface State {
  customers: Map<
    string,
    { id: string; object: 'customer'; metadata: Record<string, string>; created: number }
  >;
  intents: Map<string, Intent>;
  setups: Map<string, SetupObject>;
  charges: Map<string, ChargeObject>;
  refunds: Map<string, RefundObject>;
  disputes: Map<string, DisputeObject>;
  cards: Map<string, Card>;
  /** Every change of the balance, oldest first. */
  balance: BalanceTransaction[];
  /** The payout of each that was paid out, by its id. */
  payouts: Map<string, string>;
  detached: Set<string>;
  events: EventObject[];
  delivered: Set<string>;
  movements: Movement[];
  answers: Map<string, Kept>;
  /** Milliseconds; a test may turn it. */
  now: () => number;
  onEvent: (event: EventObject) => void;
}

export function newState(): State {
  return {
    customers: new Map(),
    intents: new Map(),
    setups: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    cards: new Map(),
    balance: [],
    payouts: new Map(),
    detached: new Set(),
    events: [],
    delivered: new Set(),
    movements: [],
    answers: new Map(),
    now: Date.now,
    onEvent: () => undefined,
  };
}

// Random, so that two fakes never meet in one database.
export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** Stripe's clock: whole seconds. */
export const seconds = (state: State): number => Math.floor(state.now() / 1000);

/** Records that money moved on an intent; `cents` > 0. */
export function move(state: State, kind: Movement['kind'], intentId: string, cents: number): void {
  const topUpId = state.intents.get(intentId)?.metadata.top_up_id;
  state.movements.push({
    kind,
    amount: BigInt(cents) * 10_000n,
    intentId,
    topUpId,
    at: new Date(state.now()),
  });
}

/** Records an event with the object as it is now. */
export function emit(state: State, type: string, object: unknown): void {
  const event: EventObject = {
    id: newId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: seconds(state),
    livemode: false,
    type,
    data: { object: structuredClone(object) },
  };
  state.events.push(event);
  state.onEvent(event);
}
