import type { Logger } from 'pino';
import type { Database } from '../db/database/database.ts';
import { claimHour, postpone } from '../db/hourly.ts';
import { forgetBriefly } from '../http/idempotency.ts';
import { openLoop } from '../platform/loop.ts';
import { saveAudit } from './audit/last-audit.ts';
import { auditLedger } from './audit/ledger-audit.ts';
import { runDueAutoReloads } from './auto-reload/run-due.ts';
import { cardSetups } from './cards/card-setups.ts';
import { detachCards } from './cards/detach-cards.ts';
import type { Processor } from './cards/processor.ts';
import { reconcileSetups } from './cards/reconcile-setups.ts';
import { issueDue } from './invoices/issue.ts';
import type { SettlementRound } from './ledger/usage.ts';
import { noteExpiringCards } from './notices/expiring-cards.ts';
import { queueAllNotices } from './notices/queue-notices.ts';
import { fetchBalance } from './report/fetch-balance.ts';
import { settlePending } from './settle-pending.ts';
import { warnOfLimits } from './spend-limits/warn.ts';
import { fetchMissedEvents, processEvents } from './top-ups/events.ts';
import { NOTHING_CHECKED, type ReconcileReport, reconcile } from './top-ups/reconcile.ts';
import { reconcileRefunds } from './top-ups/refund.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import { topUps } from './top-ups/top-ups.ts';

/** What the background work reports to the metrics. */
export interface BackgroundObserver {
  onRound(report: RoundReport): void;
  onSettled(round: SettlementRound): void;
  /** Some work failed and will be tried again. */
  onFailure(work: string): void;
}

/** What one round did. */
type RoundReport = ReconcileReport & {
  events: number;
  refunds: number;
  reloads: number;
  /** Attempts to save a card that ended. */
  setups: number;
  /** Cards that were removed at the processor. */
  detached: number;
};

/** The work of billing that no request waits for. Any number of processes may run it. */
interface BackgroundWork {
  /** Does everything that is due, once. */
  round(): Promise<RoundReport>;
  /** Starts rounds, which go on until `close`. */
  start(): void;
  /** Starts the next round immediately. */
  wake(): void;
  /** Waits for what has begun, but for the rest of an audit, and begins nothing more. */
  close(): Promise<void>;
}

/**
 * `checks`: the schedule of open top-ups in milliseconds. `hourlyTasks`: other tasks to run once an
 * hour, in one process of all, by name.
 */
interface BackgroundOptions {
  checks: readonly number[];
  limits: TopUpLimits;
  log: Logger;
  /** False where no cards are charged any more: balances are not recharged then. */
  takesCards?: boolean;
  hourlyTasks?: Record<string, () => Promise<void>>;
  observer?: BackgroundObserver | undefined;
}

/** The names under which one of all processes claims the tasks of an hour, and the audit. */
export const HOURLY_WORK = 'hourly tasks';
export const HOURLY_AUDIT = 'ledger audit';

const ROUND_EVERY = 5_000;
const HOUR = 3_600_000;
const CLAIM_EVERY = 60_000;
const LOGGED_VIOLATIONS = 20;
/** An audit reads all money there is: one that took six minutes is repeated after two hours. */
const AUDIT_SHARE = 1 / 20;

/**
 * Processes the events of the card processor, checks open top-ups and refunds, issues invoices that
 * are due, recharges balances, and warns of spend limits. At its start and every hour it fetches
 * the events that no webhook delivered. Beside these rounds, once an hour, one of all processes settles
 * usage that is not settled yet, and one audits the ledger. A failure is logged, delays nothing else,
 * and the work is tried again in the next round.
 */
export function backgroundWork(
  db: Database,
  processor: Processor,
  { checks, limits, log, takesCards = true, hourlyTasks = {}, observer }: BackgroundOptions,
): BackgroundWork {
  const path = topUps(db, processor, { log });
  const setups = cardSetups(db, processor, { log });
  const detach = paused(() => detachCards(db, processor.cards));
  const closing = new AbortController();
  let fetchAt = 0;
  let othersLogged = 0;
  let limitsSeen: string | undefined;

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

  // In parallel, so that many events do not delay the checks of open top-ups.
  async function round(): Promise<RoundReport> {
    const [events, checked, refunds, ended, detached] = await Promise.all([
      attempt('events', () => processEvents(db, processor, log), 0),
      attempt('open top-ups', () => reconcile(db, path, checks), NOTHING_CHECKED),
      attempt('refunds', () => reconcileRefunds(db, processor), 0),
      attempt('saved cards', () => reconcileSetups(db, setups), 0),
      attempt('removed cards', detach, 0),
    ]);
    await attempt('invoices', () => issueDue(db), 0);
    const none = { checked: 0, charged: 0 };
    const reloads = takesCards
      ? await attempt('auto-reload', () => runDueAutoReloads(db, path, limits), none)
      : none;
    await attempt('secrets of answers', () => forgetBriefly(db), undefined);
    await attempt('notices', () => queueAllNotices(db), 0);
    limitsSeen = (
      await attempt('spend limits', () => warnOfLimits(db, limitsSeen), {
        warned: 0,
        next: undefined,
      })
    ).next;
    return { ...checked, events, refunds, reloads: reloads.charged, setups: ended, detached };
  }

  async function fetchMissed(): Promise<void> {
    if (performance.now() < fetchAt) return;
    fetchAt = performance.now() + HOUR;
    const missed = await attempt('missed events', () => fetchMissedEvents(db, processor), 0);
    if (missed > 0) log.info({ missed }, 'fetched events that no webhook delivered');
  }

  // The database decides when the hour is over. Asking it once an hour would be slightly too early
  // every other time, so it is asked every minute.
  async function workHourly(): Promise<void> {
    if (await attempt('hourly work', () => claimHour(db, HOURLY_WORK), false)) {
      const settled = await attempt('usage', () => settlePending(db, log), undefined);
      if (settled !== undefined) observer?.onSettled(settled);
      await attempt('cards that end', () => noteExpiringCards(db), 0);
      await attempt('balance at the processor', () => fetchBalance(db, processor), 0);
      for (const [name, task] of Object.entries(hourlyTasks)) await attempt(name, task, undefined);
    }
    if (await attempt('hourly work', () => claimHour(db, HOURLY_AUDIT), false))
      await attempt('ledger audit', audit, undefined);
  }

  async function audit(): Promise<void> {
    const begun = performance.now();
    const found = await auditLedger(db, closing.signal).catch((error) => {
      if (!closing.signal.aborted) throw error;
    });
    if (found === undefined) return;
    await saveAudit(db, found);
    await postpone(db, HOURLY_AUDIT, (performance.now() - begun) / AUDIT_SHARE);
    const { violations } = found;
    if (violations.length > 0)
      log.fatal(
        { found: violations.length, violations: violations.slice(0, LOGGED_VIOLATIONS) },
        'the ledger does not hold: run `guildhall audit ledger`',
      );
  }

  async function work(): Promise<void> {
    await fetchMissed();
    const report = await round();
    observer?.onRound(report);
    if (report.checked > 0)
      log[report.late > 0 ? 'error' : 'info']({ round: report }, 'open top-ups checked');
    if (report.others > othersLogged)
      log.error(
        { others: report.others },
        `open top-ups belong to another processor than ${processor.name} and are left alone`,
      );
    othersLogged = report.others;
  }

  const rounds = openLoop(work, { every: ROUND_EVERY, what: 'billing: a round', log });
  const hours = openLoop(workHourly, { every: CLAIM_EVERY, what: 'billing: hourly work', log });
  return {
    round,
    start: () => {
      for (const loop of [hours, rounds]) {
        loop.start();
        loop.run();
      }
    },
    wake: rounds.wake,
    close: async () => {
      closing.abort();
      await Promise.all([hours.stop(), rounds.stop()]);
    },
  };
}

const LONGEST_PAUSE = 10 * 60_000;

/** After a failure the work pauses, longer each time, so that a processor in trouble is left alone. */
function paused(work: () => Promise<{ done: number; failed: boolean }>): () => Promise<number> {
  let [failures, pausedUntil] = [0, 0];
  return async () => {
    if (performance.now() < pausedUntil) return 0;
    const { done, failed } = await work();
    failures = failed ? failures + 1 : 0;
    pausedUntil = failed
      ? performance.now() + Math.min(ROUND_EVERY * 2 ** failures, LONGEST_PAUSE)
      : 0;
    return done;
  };
}
