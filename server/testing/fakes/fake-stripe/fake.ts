import type { Delivery } from '../deliveries.ts';
import type { completeSetup } from './cards.ts';
import type { Signed } from './events.ts';
import type { Fault, FaultKind } from './faults.ts';
import type {
  BalanceTransaction,
  Card,
  DisputeObject,
  Movement,
  RefundObject,
  State,
} from './state.ts';

/**
 * A Stripe of one's own. Everything here can be done over HTTP as well: `/_control/...`
 * (control.ts).
 */
export interface FakeStripe {
  /** For STRIPE_API_BASE. */
  readonly url: string;
  /** `/_control/...` while the other port is closed. */
  readonly controlUrl: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly state: State;
  /** Every request to the API, in order of arrival. */
  readonly requests: {
    method: string;
    path: string;
    key: string | undefined;
    fault: FaultKind | undefined;
  }[];
  /** The faults that have not struck yet. */
  readonly faults: Fault[];
  readonly movements: Movement[];
  /** Micro-USD captured for a top-up, refunds and disputes not deducted. */
  captured(topUpId: string): bigint;
  /** What Guildhall holds at Stripe after all movements, in micro-USD. */
  net(topUpId?: string): bigint;
  fault(fault: Fault): void;
  clearFaults(): void;
  webhook(url: string, secret?: string): void;
  deliver(delivery?: Delivery): Promise<{ id: string; type: string; status: number }[]>;
  /** Sends each event as it happens; without an argument no more. */
  automatic(how?: Delivery): void;
  sign(event: unknown, options?: { secret?: string; timestamp?: number }): Signed;
  /** `amount` in cents. */
  dispute(intentId: string, options?: { amount?: number }): DisputeObject;
  closeDispute(id: string, outcome: 'won' | 'lost'): DisputeObject;
  failRefund(id: string): RefundObject;
  /** A saved card of the test's own. */
  card(token: string, card: Card): void;
  detach(token: string): void;
  /** Enters a card in the browser, for a setup or its client secret; returns the card's name. */
  completeSetup(setup: string, details?: Parameters<typeof completeSetup>[2]): string;
  replaceCard(token: string, details: Card['details']): void;
  /** Pays out what was not paid out before. */
  payOut(): BalanceTransaction;
  /** Stripe bills the account, in cents. */
  bill(cents: number): BalanceTransaction;
  /** Confirms a payment in the browser, for an intent or its client secret, or fails to. */
  authenticate(intent: string, passes: boolean): void;
  /** Connections are refused; after `ms` no more. */
  closePort(ms?: number): Promise<void>;
  openPort(): Promise<void>;
  /** As after 24 hours: Stripe prunes idempotency keys. */
  forgetKeys(): void;
  close(): Promise<void>;
}
