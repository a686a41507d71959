import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { openLoop } from '../../platform/loop.ts';
import type { GitHub } from './app.ts';
import { processDeliveries } from './process-deliveries.ts';
import { refreshDue } from './refresh-due.ts';

/** The work that GitHub causes and no request waits for. Any number of processes may run it. */
interface GitHubWork {
  /** Does everything that is due, once. */
  round(): Promise<void>;
  /** Starts rounds, which go on until `close`. */
  start(): void;
  /** Starts the next round immediately. */
  wake(): void;
  /** Begins nothing more, and waits a few seconds for what has begun. */
  close(): Promise<void>;
}

const ROUND_EVERY = 5_000;
/** What is cut off is due again later. */
const FINISH_WITHIN = 5_000;

/** Processes deliveries of GitHub, and refreshes what none has named for a while. */
export function githubWork(db: Database, github: GitHub, log: Logger): GitHubWork {
  const closing = new AbortController();

  async function round(): Promise<void> {
    // Deliveries first: they make repositories due.
    for (const part of [processDeliveries, refreshDue])
      await part(db, github, { log, ending: closing.signal }).catch((err) =>
        log.warn({ err }, 'the work for GitHub failed; trying again'),
      );
  }

  const loop = openLoop(round, { every: ROUND_EVERY, what: 'the work for GitHub', log });
  return {
    round,
    start: () => {
      loop.start();
      loop.run();
    },
    wake: loop.wake,
    close: async () => {
      closing.abort();
      await Promise.race([loop.stop(), pause(FINISH_WITHIN, undefined, { ref: false })]);
    },
  };
}
