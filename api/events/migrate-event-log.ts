import { join } from 'node:path';
import { type MigrateOptions, migrate } from '../db/migrate.ts';

/** Where the migrations of a database that holds only events are. */
export const EVENT_DATABASE = join(import.meta.dirname, 'database');

/**
 * Makes the tables of the log in databases of their own. Errors: those of `migrate`, with the number
 * of the database in EVENT_DATABASE_URL.
 */
export async function migrateEventLog(
  urls: readonly string[],
  options: Pick<MigrateOptions, 'log'> = {},
): Promise<void> {
  for (const [index, url] of urls.entries())
    await migrate(url, { ...options, directory: EVENT_DATABASE }).catch((error) => {
      throw new Error(`Database ${index + 1} of EVENT_DATABASE_URL: ${error.message}`, {
        cause: error,
      });
    });
}
