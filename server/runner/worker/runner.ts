import type { Turn } from './claim.ts';
import type { Counted } from './record-cost.ts';

/** An event of the turn; see `NewEvent`. */
export interface TurnEvent {
  type: string;
  payload: unknown;
}

/** What an agent asks a person. Text answers it where there are no options, or `allowsText`. */
export interface Question {
  kind: 'question' | 'permission';
  title: string;
  options: { id: string; name: string }[];
  allowsText?: boolean;
}

export type Answer = { optionId: string } | { text: string } | { withdrawn: true };

/**
 * What a runner may do for its turn. Each call throws when the turn is not this worker's any more.
 */
export interface TurnWork {
  /**
   * Aborted when the turn must end now, with a TurnStopped as reason. The runner then ends its
   * agent with all its processes within STOP_WITHIN_MS, and settles.
   */
  signal: AbortSignal;
  append(...events: TurnEvent[]): Promise<void>;
  /**
   * Appends an event unless an earlier attempt of the turn did, whose worker died afterwards. The
   * `id` in its payload names it.
   */
  appendOnce(event: TurnEvent & { payload: { id: string } }): Promise<void>;
  /**
   * Waits for a person's answer, however long that takes, or until `signal` says that the agent
   * needs none any more.
   */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;
  /** Charges what the agent has cost since the last call, in nano-USD, and counts its tokens. */
  charge(nano: bigint, counted?: Counted, reserved?: bigint): Promise<void>;
  /** Holds what a call of a model may cost before it is sent; see TurnMoney. */
  reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<bigint>;
}

/** Carries out turns: with a real agent in a pod, or as a test's script. */
export interface TurnRunner {
  /**
   * Resolves with the agent's last message; of a plan turn this is the plan. Throws TurnFailed for
   * what a person should read.
   */
  run(turn: Turn, work: TurnWork): Promise<{ text: string }>;
}

/** More than the 8 s after which the driver kills an agent that does not end its turn. */
export const STOP_WITHIN_MS = 9_000;

/** The turn has failed, with a sentence for people. */
export class TurnFailed extends Error {}

/** Why a turn must end before its agent has ended it. */
export type StopReason =
  | 'lost'
  | 'cancelled'
  | 'drained'
  | 'late'
  | 'unanswered'
  | 'insufficient_funds'
  | 'account_not_active'
  | 'spend_cap'
  | 'spend_limit'
  | 'pod_lost'
  | 'pods_unavailable';

export class TurnStopped extends Error {
  readonly reason: StopReason;
  /** Micro-USD that must be there for it to go on, where money has stopped it. */
  readonly needed: bigint | undefined;

  constructor(reason: StopReason, needed?: bigint) {
    super(`The turn was stopped: ${reason}`);
    this.reason = reason;
    this.needed = needed;
  }
}
