import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Processor } from './cards/processor.ts';
import { catchUp, processEvents } from './events.ts';
import { auditLedger } from './ledger-audit.ts';
import { type Round, reconcile } from './reconcile.ts';
import { topUps } from './top-ups.ts';

/** What is done for money beside requests. Any number of processes may run one. */
export interface Worker {
  /** Everything that is due, once. */
  round(): Promise<Round & { events: number }>;
  /** Does the next round soon instead of at its time. */
  wake(): void;
  /** Rounds until closed. */
  watch(): void;
  /** Waits for the round that runs and starts no other. */
  close(): Promise<void>;
}

const ROUND_EVERY = 5_000;
const HOURLY = 3_600_000;

/**
 * Checks open top-ups by `schedule` (milliseconds), works off the processor's events, fetches those that no webhook
 * brought, and audits the ledger every hour, with the `chores` of the rest of the house. What goes wrong is logged and tried again with the next round.
 */
export function moneyWorker(
  db: Database,
  processor: Processor,
  schedule: readonly number[],
  log: Logger,
  chores: readonly (() => Promise<void>)[] = [],
): Worker {
  const path = topUps(db, processor);
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let hourlyAt = 0;

  async function round() {
    const events = await processEvents(db, processor);
    return { ...(await reconcile(db, path, schedule)), events };
  }

  async function hourly(): Promise<void> {
    if (Date.now() < hourlyAt) return;
    hourlyAt = Date.now() + HOURLY;
    for (const chore of chores) await chore();
    const missed = await catchUp(db, processor);
    if (missed > 0) log.info({ missed }, 'events fetched that no webhook brought');
    const { violations } = await auditLedger(db);
    if (violations.length > 0)
      log.fatal({ violations }, 'the ledger does not hold: run `guildhall audit ledger`');
  }

  async function work(): Promise<void> {
    try {
      await hourly();
      const done = await round();
      if (done.checked > 0) log[done.late > 0 ? 'error' : 'info']({ round: done }, 'open top-ups checked');
    } catch (err) {
      log.warn({ err }, 'money was not looked after; trying again');
    }
  }

  function next(pause: number): void {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => {
      again = false;
      running = work().finally(() => {
        running = undefined;
        next(again ? 0 : ROUND_EVERY);
      });
    }, pause).unref();
  }

  return {
    round,
    watch: () => next(0),
    wake: () => {
      if (running === undefined) next(0);
      else again = true;
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
