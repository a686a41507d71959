import { setTimeout as pause } from 'node:timers/promises';
import { apiError } from '../../http/errors.ts';

/** Too many passwords are being checked. */
export const signInBusy = apiError(
  503,
  'sign_in_busy',
  'Too many people are signing in right now: try again in a moment',
  { 'retry-after': '1' },
);

/** Lets in what takes a core for some time, so that the rest of the machine keeps most of it. */
interface HashingQueue {
  /**
   * Runs `work` when its turn comes. `first`: before all that are not, for callers who have proven
   * something. Errors: 503 sign_in_busy, without calling `work`, if too many wait already.
   */
  run<Result>(work: () => Promise<Result>, options?: { first?: boolean }): Promise<Result>;
  /** Refuses whoever would have to wait behind too many others. Errors: 503 sign_in_busy. */
  requirePlace(): void;
}

interface QueueOptions {
  /** How many run at the same time. */
  atOnce: number;
  /** How many wait at most, of those who are first and of the others … */
  waiting: number;
  /** … and for how many milliseconds, before they are refused too. */
  timeout: number;
  /** Milliseconds of a core for each millisecond that passes, while there is always someone waiting. */
  share: number;
  /** Milliseconds of a core that are taken without a pause after a quiet time. */
  burst: number;
  /** Called for each caller who is refused. */
  onBusy?: (() => void) | undefined;
  clock?: Clock;
}

/** Milliseconds. */
export interface Clock {
  now(): number;
  /** What the work has taken of all cores so far. */
  spent(): number;
  wait(milliseconds: number): Promise<unknown>;
}

interface Waiting {
  enter(): void;
  refuse(reason: Error): void;
  until: number;
}

/**
 * Hashes are made by the threads of the process that do not serve requests. What those spend is counted
 * rather than the time that passes: a busy machine makes a hash slower, but not dearer.
 */
const CLOCK: Clock = {
  now: () => performance.now(),
  spent: () => {
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
    return (all.user + all.system - own.user - own.system) / 1_000;
  },
  wait: (milliseconds) => pause(milliseconds),
};

/**
 * What is not used while it is quiet is saved, up to `burst`, so that a few people who sign in at
 * once do not wait for each other's pauses; a flood soon has no more than its share.
 */
export function hashingQueue(options: QueueOptions): HashingQueue {
  const { atOnce, waiting, timeout, share, burst, onBusy = () => {}, clock = CLOCK } = options;
  const known: Waiting[] = [];
  const others: Waiting[] = [];
  let running = 0;
  let saved = burst;
  let since = clock.now();
  let spent = clock.spent();
  let paused = false;

  function account(): void {
    const [now, all] = [clock.now(), clock.spent()];
    saved = Math.min(burst, saved + (now - since) * share);
    if (running > 0) saved -= all - spent;
    since = now;
    spent = all;
  }

  function letIn(): void {
    for (const queue of [known, others]) {
      while ((queue[0]?.until ?? Number.POSITIVE_INFINITY) < clock.now())
        queue.shift()?.refuse(busy());
    }
    while (running < atOnce) {
      const queue = known.length > 0 ? known : others;
      if (queue.length === 0) return;
      account();
      if (saved <= 0) {
        pauseFor(1 - saved / share);
        return;
      }
      running++;
      queue.shift()?.enter();
    }
  }

  function pauseFor(milliseconds: number): void {
    if (paused) return;
    paused = true;
    void clock.wait(milliseconds).then(() => {
      paused = false;
      letIn();
    });
  }

  function busy() {
    onBusy();
    return signInBusy();
  }

  const refuseIfFull = (queue: unknown[]) => {
    if (queue.length >= waiting) throw busy();
  };

  return {
    requirePlace: () => refuseIfFull(others),
    run: async (work, { first = false } = {}) => {
      const queue = first ? known : others;
      refuseIfFull(queue);
      await new Promise<void>((enter, refuse) => {
        queue.push({ enter, refuse, until: clock.now() + timeout });
        letIn();
      });
      try {
        return await work();
      } finally {
        account();
        running--;
        letIn();
      }
    },
  };
}
