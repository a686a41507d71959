import type { CardKeeper } from './card-keeper.ts';

/**
 * A charge for a top-up. Every field comes from the stored row, so that a repeat is the same
 * request.
 */
export interface Charge {
  topUpId: string;
  /** The account that receives the money. */
  accountId: string;
  /** The personal account of the card's owner, to whom the processor's customer belongs. */
  payerAccountId: string;
  /** Micro-USD, whole cents. */
  amount: bigint;
  /** The processor's name for the saved card. */
  token: string;
}

/** The code of a charge that its cardholder did not confirm. */
export const AUTHENTICATION_FAILED = 'payment_intent_authentication_failure';

/** Why a card was definitely declined, as the processor's codes. */
export interface CardDecline {
  code: string;
  declineCode?: string;
}

/**
 * What is known of an intent after a call. `unknown` does not mean failed: the call may have
 * worked. `notExecuted`: it certainly had no effect, and the same call may be repeated.
 */
export type Outcome =
  | { kind: 'open'; intentId: string }
  | { kind: 'succeeded'; intentId: string }
  | { kind: 'declined'; intentId?: string; decline: CardDecline }
  | { kind: 'canceled'; intentId: string }
  | { kind: 'cardGone' }
  | { kind: 'notExecuted'; reason: string }
  | { kind: 'unknown'; reason: string };

/** The same of a charge whose cardholder is there and may have to confirm it in the browser. */
export type AttendedOutcome =
  | Outcome
  | { kind: 'requiresAction'; intentId: string; clientSecret?: string };

/** All the money that has moved on an intent so far, cumulative, in micro-USD. */
export interface Movements {
  captured: bigint;
  refunded: bigint;
  /**
   * Ids of the refunds, including ours, that `refunded` contains; if there are many, the older ones
   * may be missing.
   */
  refundIds?: readonly string[];
  /** `withdrawn`: what the dispute withholds now, withdrawn minus reinstated. */
  disputes: { id: string; withdrawn: bigint }[];
  /** Other movements that are not in USD, which a person has to settle. */
  unpostable?: string;
}

/**
 * Something happened at the processor. An event is only a reason to look: the object is always
 * fetched again.
 */
export interface ProcessorEvent {
  id: string;
  type: string;
  createdAt: Date;
  intentId: string | undefined;
  /** The processor's id of an attempt to save a card. */
  setupId?: string | undefined;
  /** The processor's name for a saved card. */
  token?: string | undefined;
}

/** A change of our balance at the processor. In micro-USD, if the currency is USD. */
export interface BalanceEntry {
  id: string;
  /** `fee`: one of the whole account, not of a charge. `other`: payouts, for example. */
  category: 'charge' | 'refund' | 'dispute' | 'fee' | 'other';
  /** As the processor names it. */
  type: string;
  /** Negative for what leaves. */
  amount: bigint;
  /** What the processor keeps besides; negative for a fee that it returns. */
  fee: bigint;
  currency: string;
  /** The charge, refund or dispute, and its intent. */
  sourceId: string | undefined;
  intentId: string | undefined;
  /** What the charge says of the top-up that it is for. */
  topUpId: string | undefined;
  createdAt: Date;
}

/**
 * The outcome of a refund. `refused`: it certainly did not happen, with a reason for the operator.
 */
export type RefundOutcome =
  | { kind: 'refunded' }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string };

/** A card processor. No call throws: every result is an outcome. */
export interface Processor {
  readonly name: 'sandbox' | 'stripe' | 'none';
  /** The saved cards of people. */
  readonly cards: CardKeeper;
  /**
   * Creates the intent without confirming it, so no money can move yet. Repeatable: its key
   * contains the top-up and the card's owner.
   */
  create(charge: Charge): Promise<Outcome>;
  /** Charges the card. Repeatable (key `topup:{id}:confirm`). */
  confirm(intentId: string, charge: Charge): Promise<Outcome>;
  /**
   * Charges the card while its cardholder is there, or says what has become of that since.
   * Repeatable (key `topup:{id}:attend`). Nothing is charged before the bank is satisfied.
   */
  attend(intentId: string, charge: Charge): Promise<AttendedOutcome>;
  /** Only the sandbox: confirms the charge as the cardholder would, or refuses to. */
  authenticate?(intentId: string, confirms: boolean): Promise<void>;
  /** The processor's current state of it. */
  retrieve(intentId: string): Promise<Outcome>;
  /**
   * Cancels it, after which no money can move. Returns the resulting state, which may be
   * `succeeded`.
   */
  cancel(intentId: string): Promise<Outcome>;
  /** The money that has moved on it; undefined if that cannot be determined now. */
  movements(intentId: string): Promise<Movements | undefined>;
  /**
   * Refunds part of a captured charge, once per `refundId` of ours, however long ago it was
   * requested before.
   */
  refund(intentId: string, amount: bigint, refundId: string): Promise<RefundOutcome>;
  /**
   * The events since a time, oldest first, for a process that missed its webhooks. Throws if the
   * processor cannot be reached.
   */
  events(since: Date): AsyncIterable<ProcessorEvent>;
  /**
   * Every change of our balance there since a time, or until before another, in pages. Not on the
   * sandbox, which has no balance. Throws if the processor cannot be reached.
   */
  balance?(from: Date, to: Date | undefined): AsyncIterable<BalanceEntry[]>;
}
