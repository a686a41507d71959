import type { Registry } from 'prom-client';
import type { DatabaseOptions } from '../db/database/database.ts';
import type { Config } from '../platform/config/config.ts';
import { measureEventDatabase, measureEvents } from '../tasks/events/metrics.ts';
import { migrateEventLog } from '../tasks/events/migrate-event-log.ts';
import { openTaskEvents, type TaskEvents } from '../tasks/events/task-events.ts';

interface EventsOptions extends Pick<DatabaseOptions, 'onError' | 'onSlow' | 'trace'> {
  say(line: string): void;
  registry?: Registry | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The events of tasks: in the database of EVENT_DATABASE_URL, which gets its tables here, or in the
 * one at `url`, whose migrations made them. They have connections of their own in either case.
 */
export async function openEvents(
  { eventDatabaseUrl, database }: Pick<Config, 'eventDatabaseUrl' | 'database'>,
  url: string,
  { say, registry, signal, ...options }: EventsOptions,
): Promise<TaskEvents> {
  if (eventDatabaseUrl !== undefined) {
    const { connectTimeout } = database;
    await migrateEventLog(eventDatabaseUrl, { log: say, connectTimeout, signal });
  }
  const observer = registry && measureEvents(registry);
  const events = openTaskEvents({
    ...database,
    ...options,
    url: eventDatabaseUrl ?? url,
    observer,
  });
  if (registry !== undefined) measureEventDatabase(registry, events.log);
  return events;
}
