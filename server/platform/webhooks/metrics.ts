import { Counter, type Registry } from 'prom-client';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { sharedGauges } from '../../telemetry/metrics.ts';
import type { WebhookObserver } from './background.ts';

interface Figures {
  failing: number;
  /** Seconds. */
  oldest: number;
}

/**
 * Adds the metrics of webhooks to a registry. What waits and what fails is queried at each scrape
 * (the queue has one row for each webhook), and left out while the database cannot be reached.
 */
export function measureWebhooks(registry: Registry, db: Pick<Database, 'one'>): WebhookObserver {
  const gauge = sharedGauges(registry, () => readFigures(db));
  gauge('webhook_endpoints_failing', 'Webhooks whose last attempt has failed', [], (failing, now) =>
    failing.set(now.failing),
  );
  gauge(
    'webhook_oldest_due_seconds',
    'For how long the oldest event or delivery waits that any server could take now; 0 if there is none',
    [],
    (oldest, now) => oldest.set(now.oldest),
  );
  const attempts = new Counter({
    name: 'guildhall_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks, by result',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['delivered', 'failed', 'gone']) attempts.inc({ result }, 0);
  return { onAttempt: (result) => attempts.inc({ result }) };
}

const readFigures = (db: Pick<Database, 'one'>): Promise<Figures> =>
  db.one<Figures>(sql`
    select (select count(*)::int from webhook_queue where failures > 0) as failing,
           coalesce(extract(epoch from now() - least(
             (select min(noted_at) from webhook_event),
             (select min(q.next_at) from webhook_queue q
               where q.next_at <= now() and (q.held_until is null or q.held_until < now())))),
             0)::float8 as oldest`);
