/** A charge that a top-up asks for. Everything comes from the stored row, so that a repeat is the same request. */
export interface Charge {
  topUpId: string;
  /** Whose balance gets the money. */
  accountId: string;
  /** Whose saved card is charged: the personal account the processor's customer belongs to. */
  payerAccountId: string;
  /** Micro-USD, whole cents. */
  amount: bigint;
  /** The processor's own name for the saved card. */
  token: string;
}

/** Why a card was refused for certain: the processor's codes. */
export interface CardRefusal {
  code: string;
  declineCode?: string;
}

/**
 * What is known of an intent after a call. `unknown` is not failed: the call may have worked (money.md).
 * `notExecuted`: it certainly did nothing, and the same call may be made again.
 */
export type Outcome =
  | { kind: 'open'; intentId: string }
  | { kind: 'succeeded'; intentId: string }
  | { kind: 'refused'; intentId?: string; refusal: CardRefusal }
  | { kind: 'canceled'; intentId: string }
  | { kind: 'cardGone' }
  | { kind: 'notExecuted'; reason: string }
  | { kind: 'unknown'; reason: string };

/** All the money that has moved on an intent until now, cumulative, in micro-USD. */
export interface Movements {
  captured: bigint;
  refunded: bigint;
  /** Ids of refunds, ours among them, that `refunded` includes; the older ones of many may be missing. */
  refundIds?: readonly string[];
  /** `withdrawn`: what the dispute holds back now, withdrawn less reinstated. */
  disputes: { id: string; withdrawn: bigint }[];
  /** What else has moved and is no USD, so that a person has to settle it. */
  unpostable?: string;
}

/** Something happened at the processor. The object is fetched anew, so an event is only a reason to look. */
export interface ProcessorEvent {
  id: string;
  type: string;
  createdAt: Date;
  intentId: string | undefined;
}

/** What became of a refund. `refused`: it certainly did not happen, and why in words for the operator. */
export type RefundOutcome =
  | { kind: 'refunded' }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string };

/** A card processor. No call throws: whatever happens is an outcome. */
export interface Processor {
  readonly name: 'sandbox' | 'stripe';
  /** Records the intent without confirming it: no money can move yet. Repeatable (key `topup:{id}:create`, and whose card). */
  create(charge: Charge): Promise<Outcome>;
  /** Charges the card. Repeatable (key `topup:{id}:confirm`). */
  confirm(intentId: string, charge: Charge): Promise<Outcome>;
  /** What the processor says of it now. */
  retrieve(intentId: string): Promise<Outcome>;
  /** The fence: after it no money can move. Answers what is true then, which may be `succeeded`. */
  cancel(intentId: string): Promise<Outcome>;
  /** What has moved on it; undefined when that cannot be learned now. */
  movements(intentId: string): Promise<Movements | undefined>;
  /** Gives back part of a captured charge, once for a `refundId` of ours, however long ago it was asked before. */
  refund(intentId: string, amount: bigint, refundId: string): Promise<RefundOutcome>;
  /** What happened since a time, oldest first, for a process that missed its webhooks. Throws when out of reach. */
  events(since: Date): AsyncIterable<ProcessorEvent>;
}
