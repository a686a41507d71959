import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { oncePerScrape, sharedGauges } from '../telemetry/metrics.ts';
import { type LastAudit, lastAudit } from './audit/last-audit.ts';
import type { BackgroundObserver } from './background.ts';

/**
 * Adds the metrics of billing to a registry. Figures of open top-ups, events and messages are
 * queried at each scrape, by index. Figures that need every row are those of the last hourly audit.
 * While the database cannot be reached, the scrape says so and leaves them out. `schedule`: when
 * open top-ups are checked, in milliseconds after their creation; past its last time they count as
 * late.
 */
export function measureMoney(
  registry: Registry,
  db: Database,
  schedule: readonly number[],
): BackgroundObserver {
  const registers = [registry];
  const figures = oncePerScrape(() => readFigures(db, schedule.at(-1) ?? 0).catch(() => undefined));
  const open = sharedGauges(registry, figures);

  open('top_ups_open', 'Top-ups without a final outcome, by status', ['status'], (gauge, now) => {
    gauge.set({ status: 'created' }, now.created);
    gauge.set({ status: 'processing' }, now.processing);
  });
  open(
    'top_up_oldest_open_seconds',
    'Age of the oldest top-up without a final outcome; 0 if there is none',
    [],
    (gauge, now) => gauge.set(now.oldest),
  );
  open(
    'top_ups_late',
    'Top-ups still open after their last scheduled check; someone should look at them',
    [],
    (gauge, now) => gauge.set(now.late),
  );
  open('processor_events_open', 'Unprocessed events of the card processor', [], (gauge, now) =>
    gauge.set(now.events),
  );
  open('outbox_open', 'Open outbox messages, by topic', ['topic'], (gauge, now) => {
    for (const { topic, count } of now.outbox) gauge.set({ topic }, count);
  });
  open(
    'outbox_oldest_seconds',
    'Age of the oldest open outbox message, by topic',
    ['topic'],
    (gauge, now) => {
      for (const { topic, seconds } of now.outbox) gauge.set({ topic }, seconds);
    },
  );
  new Gauge({
    name: 'guildhall_database_up',
    help: 'Whether the database answered this scrape',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await figures()) === undefined ? 0 : 1);
    },
  });

  open('top_ups', 'Top-ups by status, as of the last audit', ['status'], (gauge, now) => {
    const statuses = Object.entries(now.last_audit?.topUps ?? {});
    for (const [status, count] of statuses) gauge.set({ status }, count);
  });
  open('ledger_violations', 'Ledger violations, as of the last audit', [], (gauge, now) =>
    setOrRemove(gauge, now.last_audit?.violations),
  );
  open(
    'ledger_audit_timestamp_seconds',
    'When the ledger was last audited, in Unix time',
    [],
    (gauge, now) => setOrRemove(gauge, now.last_audit?.at),
  );
  const checked = new Counter({
    name: 'guildhall_reconciler_top_ups_total',
    help: 'Checks of open top-ups, by result',
    labelNames: ['result'],
    registers,
  });
  const failures = new Counter({
    name: 'guildhall_worker_failures_total',
    help: 'Background work that failed and will be tried again, by kind',
    labelNames: ['work'],
    registers,
  });
  const settlements = new Counter({
    name: 'guildhall_usage_settlements_total',
    help: 'Hourly settlements of usage that no turn had settled, by result',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['settled', 'failed', 'open']) checked.inc({ result }, 0);
  for (const result of ['settled', 'failed', 'busy']) settlements.inc({ result }, 0);

  return {
    onRound: ({ settled, failed, open }) => {
      checked.inc({ result: 'settled' }, settled);
      checked.inc({ result: 'failed' }, failed);
      checked.inc({ result: 'open' }, open);
    },
    onSettled: ({ settlements: settled, failed, busy }) => {
      settlements.inc({ result: 'settled' }, settled);
      settlements.inc({ result: 'failed' }, failed.length);
      settlements.inc({ result: 'busy' }, busy);
    },
    onFailure: (work) => failures.inc({ work }),
  };
}

/** Ages in seconds. */
interface Figures {
  created: number;
  processing: number;
  late: number;
  oldest: number;
  events: number;
  outbox: { topic: string; count: number; seconds: number }[];
  last_audit: LastAudit | null;
}

// Before the first audit there is no value: 0 would mean that an audit found no violations.
function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

// A top-up whose next check is after the last one of the schedule could not be ended by it.
const readFigures = (db: Database, last: number): Promise<Figures> =>
  db.one<Figures>(sql`
    select top_ups.*, events.*, outbox.*, audit.*
      from (select count(*) filter (where status = 'created')::int as created,
                   count(*) filter (where status = 'processing')::int as processing,
                   count(*) filter (
                     where checks > 0 and next_check_at
                             > created_at + ${last}::bigint * interval '1 millisecond')::int
                     as late,
                   coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
              from top_up where status in ('created', 'processing')) top_ups,
           (select count(*)::int as events from processor_event where processed_at is null) events,
           (select coalesce(json_agg(open), '[]') as outbox
              from (select topic, count(*)::int as count, extract(epoch
                from now() - min(created_at))::float8 as seconds
                      from outbox where done_at is null group by topic) open) outbox,
           ${lastAudit} audit`);
