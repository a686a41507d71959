/** A charge that a top-up asks for. Everything comes from the stored row, so that a repeat is the same request. */
export interface Charge {
  topUpId: string;
  accountId: string;
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

/** A card processor. No call throws: whatever happens is an outcome. */
export interface Processor {
  readonly name: 'sandbox' | 'stripe';
  /** Records the intent without confirming it: no money can move yet. Repeatable (key `topup:{id}:create`). */
  create(charge: Charge): Promise<Outcome>;
  /** Charges the card. Repeatable (key `topup:{id}:confirm`). */
  confirm(intentId: string, charge: Charge): Promise<Outcome>;
  /** What the processor says of it now. */
  retrieve(intentId: string): Promise<Outcome>;
  /** The fence: after it no money can move. Answers what is true then, which may be `succeeded`. */
  cancel(intentId: string): Promise<Outcome>;
}
