import type { Logger } from 'pino';
import type { EventLog } from '../../tasks/index.ts';
import type { BeginWork } from '../../telemetry/spans.ts';
import type { StorePlan } from './end-turn.ts';
import type { WorkerObserver } from './metrics.ts';
import type { TurnRunner } from './runner.ts';

export interface WorkerOptions {
  /** Names this process among all, once: a process that restarts is another one. */
  owner: string;
  runner: TurnRunner;
  events: EventLog;
  storePlan: StorePlan;
  /** Why a text of the agent cannot be a plan, as a sentence for people. */
  planFault(text: string): string | undefined;
  log: Logger;
  observer?: WorkerObserver | undefined;
  /** Begins the trace of a turn, when traces are on. */
  trace?: BeginWork | undefined;
  /** Turns that this process has at once. */
  concurrency: number;
  /** Whether turns can be begun now; always by default. */
  canBegin?: (() => boolean) | undefined;
  times?: Partial<WorkerTimes>;
}

/** In milliseconds. */
export interface WorkerTimes {
  /** Between two polls for turns, cancellations and answers. */
  poll: number;
  beat: number;
  /** How long a turn belongs to its worker after a beat. */
  lease: number;
  /** A turn whose lease was not renewed for so long is given up, before the lease ends. */
  silence: number;
  /** How long a turn may take, without the time in which it waits for answers. */
  deadline: number;
  /** How long `close` waits for turns before it stops them. */
  drain: number;
  /** How long a runner may take to end its agent. */
  stop: number;
  /** Between two settlements of a turn at work. */
  settle: number;
  /** Between two searches for tasks that paused because no one could pay. */
  funds: number;
  /** Between two polls for changes of pull requests, checks, merges and deploys. */
  changes: number;
  /** After so long a turn that waits for people is ended, once the places of others are needed. */
  unanswered: number;
}
