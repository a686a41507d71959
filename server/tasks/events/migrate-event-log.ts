import { join } from 'node:path';
import { isUnavailable } from '../../db/database/errors.ts';
import { type MigrateOptions, migrate } from '../../db/migrate.ts';

/** Where the migrations of a database that holds only events are. */
export const EVENT_DATABASE = join(import.meta.dirname, 'database');

/** Makes the tables of the log in a database of its own. Errors: those of `migrate`. */
export async function migrateEventLog(
  url: string,
  options: Pick<MigrateOptions, 'log' | 'connectTimeout' | 'signal'> = {},
): Promise<void> {
  await migrate(url, { ...options, directory: EVENT_DATABASE }).catch((error) => {
    options.signal?.throwIfAborted();
    const sentence = isUnavailable(error)
      ? ` cannot be reached (${error.message}): check that it is running, and check its address.`
      : `: ${error.message}`;
    throw new Error(`The database of EVENT_DATABASE_URL${sentence}`, { cause: error });
  });
}
