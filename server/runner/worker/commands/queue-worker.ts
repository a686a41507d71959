import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { openLoopWhenDue } from '../../../platform/loop-when-due.ts';

/** Carries out work of one kind, so much of it at once. Any number of processes may do so. */
export interface QueueWorker {
  start(): void;
  /** Claims no more, stops what is at work, and resolves once it has ended. */
  close(): Promise<void>;
}

interface QueueWorkerOptions<Work> {
  /** What the work is called in the log, as in "polling for checks". */
  name: string;
  log: Logger;
  /** How much of it this process does at once. */
  atOnce: number;
  /** Between two polls for work, in milliseconds. */
  poll: number;
  db: Pick<Database, 'read'>;
  /** SQL: whether there may be some. */
  due: Sql;
  /** The next that is due; undefined if nothing is. */
  claim(): Promise<Work | undefined>;
  /** Rejects only with what an operator must know. */
  run(work: Work, stopped: AbortSignal): Promise<void>;
}

export function openQueueWorker<Work>(options: QueueWorkerOptions<Work>): QueueWorker {
  const { name, log, atOnce, poll: every, db, due, claim, run } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const loop = openLoopWhenDue(take, { every, what: `polling for ${name}`, log, db, due });

  async function take(): Promise<void> {
    while (running.size < atOnce && !stopping.signal.aborted) {
      const work = await claim();
      if (work === undefined) return;
      const ended: Promise<void> = run(work, stopping.signal)
        .catch((err) => log.error({ err }, `${name} failed`))
        .finally(() => {
          running.delete(ended);
          loop.run();
        });
      running.add(ended);
    }
  }

  return {
    start() {
      loop.start();
      loop.run();
    },
    async close() {
      stopping.abort(new Error('This process ends.'));
      await loop.stop();
      await Promise.all(running);
    },
  };
}
