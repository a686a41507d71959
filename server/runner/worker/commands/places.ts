import type { Logger } from 'pino';

/** Carries out work of one kind, so much of it at once. Any number of processes may do so. */
export interface Places {
  start(): void;
  /** Claims no more, stops what is at work, and resolves once it has ended. */
  close(): Promise<void>;
}

interface PlacesOptions<Work> {
  /** What the work is called in the log, as in "looking for checks". */
  name: string;
  log: Logger;
  /** How much of it this process does at once. */
  atOnce: number;
  /** Between two looks for work, in milliseconds. */
  poll: number;
  /** The next that is due; undefined if nothing is. */
  claim(): Promise<Work | undefined>;
  /** Rejects only with what an operator must know. */
  run(work: Work, stopped: AbortSignal): Promise<void>;
}

export function openPlaces<Work>(options: PlacesOptions<Work>): Places {
  const { name, log, atOnce, poll: every, claim, run } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let failing = false;

  async function take(): Promise<void> {
    while (running.size < atOnce && !stopping.signal.aborted) {
      const work = await claim();
      if (work === undefined) return;
      const ended: Promise<void> = run(work, stopping.signal)
        .catch((err) => log.error({ err }, `${name} failed`))
        .finally(() => {
          running.delete(ended);
          look();
        });
      running.add(ended);
    }
  }

  /** Not again while it looks. The first failure of several in a row is logged. */
  function look(): void {
    if (looking !== undefined || stopping.signal.aborted) return;
    looking = take()
      .then(
        () => {
          failing = false;
        },
        (err) => {
          if (!failing) log.warn({ err }, `looking for ${name} failed; trying again`);
          failing = true;
        },
      )
      .finally(() => {
        looking = undefined;
      });
  }

  return {
    start() {
      timer = setInterval(look, every).unref();
      look();
    },
    async close() {
      clearInterval(timer);
      stopping.abort(new Error('This process ends.'));
      await looking;
      await Promise.all(running);
    },
  };
}
