import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { OpenedEventLog } from '../tasks/events/open-event-log.ts';
import type { Check } from '../telemetry/metrics.ts';

/**
 * What `guildhall work` answers beside its metrics. `/livez`: the process is alive; restarting it
 * would not bring a database back. `/readyz`: it can carry out tasks. It is not shutting down, and
 * its databases answer and have the migrations of this version, and its tasks can begin.
 */
export const workerHealth = ({
  db,
  log,
  migration,
  draining,
  fault,
}: {
  db: Pick<Database, 'read'>;
  log: Pick<OpenedEventLog, 'answers'>;
  migration: string;
  draining(): boolean;
  fault(): string | undefined;
}): Record<string, Check> => ({
  '/livez': async () => undefined,
  '/readyz': async () => {
    if (draining()) return 'This process is shutting down';
    const [found, eventsAnswer] = await Promise.all([
      db.read(sql`select from schema_migration where name = ${migration}`).catch(() => undefined),
      log.answers(),
    ]);
    if (found === undefined) return 'The database does not answer';
    if (found.length === 0)
      return 'The database has not been migrated to this version: run `guildhall migrate`';
    if (!eventsAnswer) return 'The database with the events of tasks does not answer';
    return fault() === undefined ? undefined : 'No tasks can be carried out: its log says why';
  },
});
