import { join } from 'node:path';
import { isUnavailable } from '../../db/database/errors.ts';
import { type MigrateOptions, migrate } from '../../db/migrate.ts';

/** Where the migrations of a database that holds only events are. */
export const EVENT_DATABASE = join(import.meta.dirname, 'database');

/**
 * Makes the tables of the log in databases of their own. Errors: those of `migrate`, with the
 * number of the database in EVENT_DATABASE_URL.
 */
export async function migrateEventLog(
  urls: readonly string[],
  options: Pick<MigrateOptions, 'log' | 'connectTimeout' | 'signal'> = {},
): Promise<void> {
  for (const [index, url] of urls.entries())
    await migrate(url, { ...options, directory: EVENT_DATABASE }).catch((error) => {
      options.signal?.throwIfAborted();
      const where = `Database ${index + 1} of EVENT_DATABASE_URL`;
      const sentence = isUnavailable(error)
        ? ` cannot be reached (${error.message}): check that it is running, and check its address.`
        : `: ${error.message}`;
      throw new Error(`${where}${sentence}`, { cause: error });
    });
}
