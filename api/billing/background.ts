import type { Logger } from 'pino';
import type { Database } from '../db/database/database.ts';
import { claimHour } from '../db/hourly.ts';
import { saveAudit } from './audit/last-audit.ts';
import { auditLedger } from './audit/ledger-audit.ts';
import { runDueAutoReloads } from './auto-reload/auto-reload.ts';
import type { Processor } from './cards/processor.ts';
import type { MoneyObserver } from './metrics.ts';
import type { TopUpLimits } from './top-ups/charge.ts';
import { catchUp, processEvents } from './top-ups/events.ts';
import { type Round, reconcile } from './top-ups/reconcile.ts';
import { reconcileRefunds } from './top-ups/refund.ts';
import { topUps } from './top-ups/top-ups.ts';

/** What one round did, for a person to read. */
export type Done = Round & { events: number; refunds: number; reloads: number };

/** What is done for money beside requests. Any number of processes may run one. */
export interface Worker {
  /** Everything that is due, once. */
  round(): Promise<Done>;
  /** Does the next round soon instead of at its time. */
  wake(): void;
  /** Rounds until closed. */
  watch(): void;
  /** Waits for the round that runs and starts no other. */
  close(): Promise<void>;
}

/** `checks`: the schedule of open top-ups in milliseconds. `chores`: what the rest of the house wants done hourly, by name. */
export interface WorkerOptions {
  checks: readonly number[];
  limits: TopUpLimits;
  log: Logger;
  chores?: Record<string, () => Promise<void>>;
  observer?: MoneyObserver | undefined;
}

const ROUND_EVERY = 5_000;
const HOURLY = 3_600_000;
const ASK_EVERY = 60_000;
/** Violations that a line of the log holds. */
const TOLD = 20;
const NOTHING: Round = { checked: 0, settled: 0, failed: 0, open: 0, late: 0, others: 0 };

/**
 * Works off the processor's events, checks open top-ups and refunds, and recharges balances; at its start and every hour
 * fetches the events that no webhook brought. Of all processes one audits the ledger every hour. What goes wrong is logged,
 * holds up nothing else, and is tried again with the next round.
 */
export function moneyWorker(
  db: Database,
  processor: Processor,
  { checks, limits, log, chores = {}, observer }: WorkerOptions,
): Worker {
  const path = topUps(db, processor, { log });
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let again = false;
  let catchUpAt = 0;
  let auditAskedAt = 0;
  let othersTold = 0;

  async function attempt<Result>(
    what: string,
    work: () => Promise<Result>,
    otherwise: Result,
  ): Promise<Result> {
    try {
      return await work();
    } catch (err) {
      observer?.onFailure(what);
      log.warn({ err }, `${what}: failed; trying again`);
      return otherwise;
    }
  }

  // Beside each other, so that a heap of events does not keep an open top-up from its check.
  async function round(): Promise<Done> {
    const [events, checked, refunds] = await Promise.all([
      attempt('events', () => processEvents(db, processor, log), 0),
      attempt('open top-ups', () => reconcile(db, path, checks), NOTHING),
      attempt('refunds', () => reconcileRefunds(db, processor), 0),
    ]);
    const reloads = await attempt('auto-reload', () => runDueAutoReloads(db, path, limits), {
      considered: 0,
      begun: 0,
    });
    return { ...checked, events, refunds, reloads: reloads.begun };
  }

  async function fetchMissed(): Promise<void> {
    if (Date.now() < catchUpAt) return;
    catchUpAt = Date.now() + HOURLY;
    const missed = await attempt('missed events', () => catchUp(db, processor), 0);
    if (missed > 0) log.info({ missed }, 'fetched events that no webhook delivered');
  }

  // Asked every minute, for the hour is the database's: asked once an hour it would come a moment early every other time.
  async function auditHourly(): Promise<void> {
    if (Date.now() < auditAskedAt + ASK_EVERY) return;
    auditAskedAt = Date.now();
    if (!(await attempt('hourly work', () => claimHour(db, 'audit and chores'), false))) return;
    for (const [name, chore] of Object.entries(chores)) await attempt(name, chore, undefined);
    const audit = await attempt('ledger audit', () => auditLedger(db), undefined);
    if (audit === undefined) return;
    await attempt('ledger audit', () => saveAudit(db, audit), []);
    const { violations } = audit;
    if (violations.length > 0)
      log.fatal(
        { found: violations.length, violations: violations.slice(0, TOLD) },
        'the ledger does not hold: run `guildhall audit ledger`',
      );
  }

  async function work(): Promise<void> {
    await fetchMissed();
    await auditHourly();
    const done = await round();
    observer?.onRound(done);
    if (done.checked > 0)
      log[done.late > 0 ? 'error' : 'info']({ round: done }, 'open top-ups checked');
    if (done.others > othersTold)
      log.error(
        { others: done.others },
        `open top-ups belong to another processor than ${processor.name} and are left alone`,
      );
    othersTold = done.others;
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
