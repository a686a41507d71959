import type { ModelLimits, Provider } from '../../platform/catalog/agent-fields.ts';
import type { Usage } from '../agents/agent.ts';

export interface GatewayOptions {
  provider: Provider;
  /** As the provider names it. */
  model: string;
  limits: ModelLimits;
  /** Nano-USD of tokens. */
  costOf(usage: Usage): bigint;
  /**
   * Holds what a request may cost before it is sent: `most` nano-USD, or what is left, but not less
   * than `least`. Waits while other requests may leave enough. Rejects when the turn cannot go on;
   * every further request is refused then.
   */
  reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<Reservation>;
  /**
   * Called once the provider has refused the key, with a sentence for people: no request of the
   * turn can succeed any more.
   */
  onRefused?: (sentence: string) => void;
  /** What people should know while they wait for an answer, as a sentence; each is told once. */
  onDelay?: (sentence: string) => void;
  /** What an operator must know, as a sentence; never with the text of an answer. */
  onFault?: (sentence: string) => void;
  /** Ends the gateway when it aborts. */
  signal: AbortSignal;
  /** Milliseconds; only tests set them. */
  deadlines?: Partial<Deadlines>;
}

/** What is held for one request. Either of its functions ends it, and is called once. */
export interface Reservation {
  nano: bigint;
  /**
   * Charges the answer. `estimated`: its provider did not say what it used. Rejects when the turn
   * cannot go on.
   */
  charge(usage: Usage, estimated: boolean): Promise<void>;
  /** The request has cost nothing. */
  release(): Promise<void>;
}

export interface Deadlines {
  /** Until a request has arrived. */
  request: number;
  /**
   * Until the provider begins to answer. Answers that are not streamed begin when they are done.
   */
  answer: number;
  /** Until people are told that it has not begun to. */
  late: number;
  /** Between two pieces of an answer, and for the pod to take one. */
  idle: number;
  /** In which answers that are under way as a turn ends by itself are read to their end. */
  last: number;
}
