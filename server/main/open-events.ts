import type { Registry } from 'prom-client';
import type { DatabaseOptions } from '../db/database/database.ts';
import type { Config } from '../platform/config/config.ts';
import { measureEventDatabases, measureEvents } from '../tasks/events/metrics.ts';
import { migrateEventLog } from '../tasks/events/migrate-event-log.ts';
import { openTaskEvents, type TaskEvents } from '../tasks/events/task-events.ts';

interface EventsOptions extends Pick<DatabaseOptions, 'onError' | 'onSlow' | 'trace'> {
  say(line: string): void;
  registry?: Registry | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The events of tasks: in the databases of EVENT_DATABASE_URL, which get their tables here, or in
 * the one at `url`, whose migrations made them. They have connections of their own in either case.
 */
export async function openEvents(
  { eventDatabaseUrls, database }: Pick<Config, 'eventDatabaseUrls' | 'database'>,
  url: string,
  { say, registry, signal, ...options }: EventsOptions,
): Promise<TaskEvents> {
  if (eventDatabaseUrls !== undefined) {
    const { connectTimeout } = database;
    await migrateEventLog(eventDatabaseUrls, { log: say, connectTimeout, signal });
  }
  const observer = registry && measureEvents(registry);
  const urls = eventDatabaseUrls ?? [url];
  const events = openTaskEvents({ ...database, ...options, urls, observer });
  if (registry !== undefined) measureEventDatabases(registry, events.log);
  return events;
}
