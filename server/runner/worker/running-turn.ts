import type { Turn } from './claim.ts';
import { type Answer, type StopReason, TurnStopped } from './runner.ts';

/** A turn at work in this process. */
export class RunningTurn {
  readonly turn: Turn;
  /** When it was claimed, by `performance.now()`. */
  readonly claimedAt: number;
  /** When the lease was last known to be renewed, by `performance.now()`. */
  renewedAt: number;
  /** Its agent was started, and the log says so. */
  started = false;
  /** Its end is being stored, so that a beat need not find it. */
  ending = false;
  /** Changes of its task's pull request that become events: in turn, and none after a failure. */
  publishing: Promise<void> = Promise.resolve();
  /** Settles when it has ended here. */
  ended: Promise<void> = Promise.resolve();
  /** Who waits for the answer to a request, by its id. */
  readonly requests = new Map<string, (answer: Answer) => void>();
  /** Since when it has waited for people, by `performance.now()`; undefined while it works. */
  asksSince: number | undefined;
  readonly #stopping = new AbortController();
  #lost = false;

  constructor(turn: Turn, claimedAt: number) {
    this.turn = turn;
    this.claimedAt = claimedAt;
    this.renewedAt = claimedAt;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Micro-USD that must be there for it to go on, where money has stopped it. */
  get needed(): bigint | undefined {
    return this.signal.reason?.needed;
  }

  /** Why it was stopped. A lost turn is lost, whatever it was stopped for before. */
  get stopped(): StopReason | undefined {
    return this.#lost ? 'lost' : this.signal.reason?.reason;
  }

  /** `onAnswer` is called with the answer to a request. */
  asks(id: string, onAnswer: (answer: Answer) => void): void {
    this.requests.set(id, onAnswer);
    this.asksSince ??= performance.now();
  }

  /** A request is waited for no more. */
  asksNoMore(id: string): void {
    this.requests.delete(id);
    if (this.requests.size === 0) this.asksSince = undefined;
  }

  /** `needed` as in TurnStopped. */
  stop(reason: StopReason, needed?: bigint): void {
    if (reason === 'lost') this.#lost = true;
    if (!this.signal.aborted) this.#stopping.abort(new TurnStopped(reason, needed));
  }
}
