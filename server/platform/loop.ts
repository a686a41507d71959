import type { Logger } from 'pino';

/** Work that one process does again and again, and never twice at once. */
export interface Loop {
  /** From now on, does it every so often. The timer keeps no process alive. */
  start(): void;
  /** Does it now, unless it is being done. */
  run(): void;
  /** Does it now, or once more after it is done: what woke it may have come too late for this time. */
  wake(): void;
  /** Resolves once it is not being done, nor to be done once more. */
  settled(): Promise<void>;
  /** Does it no more, and waits for what has begun. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** In milliseconds. */
  every: number;
  /** What the log says has failed. Of several failures in a row, only the first is logged. */
  what: string;
  log: Logger;
}

export function openLoop(work: () => Promise<unknown>, { every, what, log }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let [again, failing, stopped] = [false, false, false];

  function run(): void {
    if (running !== undefined || stopped) return;
    again = false;
    running = work()
      .then(
        () => {
          if (failing) log.info(`${what} works again`);
          failing = false;
        },
        (err) => {
          if (!failing) log.warn({ err }, `${what} failed; trying again`);
          failing = true;
        },
      )
      .finally(() => {
        running = undefined;
        if (again) run();
      });
  }

  return {
    start() {
      timer ??= setInterval(run, every).unref();
    },
    run,
    wake() {
      again = running !== undefined;
      run();
    },
    async settled() {
      while (running !== undefined) await running;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
