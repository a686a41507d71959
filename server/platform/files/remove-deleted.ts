import type { Logger } from 'pino';
import { noBackup } from '../../db/backup-lock.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Loop, openLoop } from '../loop.ts';
import type { FileStore } from './file-store.ts';

const BATCH = 1_000;
const EVERY_MS = 20_000;
const GRACE = '1 minute';

/**
 * Removes the bytes of deleted files within two minutes, until it is stopped: they count for no project any
 * more, so whoever adds and deletes files again and again would fill the disk.
 */
export function fileRemoval(db: Database, files: FileStore, log: Logger): Loop {
  const loop = openLoop(() => removeDeleted(db, files, GRACE), {
    every: EVERY_MS,
    what: 'removing the bytes of deleted files',
    log,
  });
  return {
    ...loop,
    start() {
      loop.start();
      loop.run();
    },
  };
}

/**
 * Removes the bytes of rows that were deleted at least `after` ago, an interval, so that most downloads
 * that are under way end well. Returns how many. While a backup runs, it removes none. Any
 * number of processes may do it at once. Errors: FileStoreUnavailable.
 */
export async function removeDeleted(
  db: Database,
  files: FileStore,
  after = '0 seconds',
): Promise<number> {
  for (let total = 0; ; ) {
    const rows = await db.many<{ storage_key: string }>(sql`
      select storage_key from file_removal
       where removed_at <= now() - ${after}::interval and ${noBackup}
       order by storage_key limit ${BATCH}`);
    const keys = rows.map(({ storage_key }) => storage_key);
    if (keys.length === 0) return total;
    await files.delete(keys);
    await db.many(sql`delete from file_removal where storage_key = any(${keys}::text[])`);
    total += keys.length;
  }
}
