import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import { openLoopWhenDue } from '../../platform/loop-when-due.ts';
import { beginRuns } from './begin-runs.ts';
import { endRuns } from './end-runs.ts';
import { planRuns } from './plan-runs.ts';

/** What makes routines run. Any number of processes may do so. */
interface RoutineWork {
  /** Does everything that is due, once. */
  round(): Promise<void>;
  /** Looks once a second, until `close`. */
  start(): void;
  /** Looks at once: something waits. */
  wake(): void;
  close(): Promise<void>;
}

const POLL_EVERY_MS = 1_000;

/** `onBegun`: called when a task was begun, for a worker. */
export function routineWork(
  db: Database,
  { catalog, log, onBegun = () => {} }: { catalog: Catalog; log: Logger; onBegun?: () => void },
): RoutineWork {
  async function round(): Promise<void> {
    await endRuns(db);
    await planRuns(db);
    const { begun } = await beginRuns(db, { catalog, log });
    if (begun > 0) onBegun();
  }
  const loop = openLoopWhenDue(round, {
    every: POLL_EVERY_MS,
    what: 'the work of routines',
    log,
    db,
    due: sql`(exists (select from routine where enabled and next_at <= now())
              or exists (select from routine_run where state = 'waiting')
              or exists (select from routine_run where state = 'begun'))`,
  });
  return {
    round,
    start: () => loop.start(),
    wake: loop.wake,
    close: () => loop.stop(),
  };
}
