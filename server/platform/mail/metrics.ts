import { Counter, type Registry } from 'prom-client';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { sharedGauges } from '../../telemetry/metrics.ts';
import type { MailObserver } from './background.ts';

interface Figures {
  queued: number;
  dead: number;
  /** Seconds. */
  oldest: number;
}

/**
 * Adds the metrics of mail to a registry. What waits and what is dead is queried at each scrape, by
 * index, and left out while the database cannot be reached.
 */
export function measureMail(registry: Registry, db: Pick<Database, 'one'>): MailObserver {
  const gauge = sharedGauges(registry, () => readFigures(db));
  gauge(
    'mail',
    'Mail that waits to be sent (queued) or was given up (dead)',
    ['status'],
    (mail, { queued, dead }) => {
      mail.set({ status: 'queued' }, queued);
      mail.set({ status: 'dead' }, dead);
    },
  );
  gauge(
    'mail_oldest_queued_seconds',
    'Age of the oldest mail that waits to be sent; 0 if there is none',
    [],
    (oldest, now) => oldest.set(now.oldest),
  );
  const attempts = new Counter({
    name: 'guildhall_mail_attempts_total',
    help: 'Attempts to send mail, by result',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['sent', 'deferred', 'dead', 'obsolete']) attempts.inc({ result }, 0);
  return { onAttempt: (result) => attempts.inc({ result }) };
}

const readFigures = (db: Pick<Database, 'one'>): Promise<Figures> =>
  db.one<Figures>(sql`
    select queued.*, dead.*
      from (select count(*)::int as queued,
                   coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
              from mail where status = 'queued') queued,
           (select count(*)::int as dead from mail where status = 'dead') dead`);
