import pg from 'pg';
import { WITHOUT_LIMITS } from './copy/tables.ts';
import type { Database } from './database/database.ts';
import { connectSingle } from './database/single-connection.ts';
import { sql } from './sql.ts';

/**
 * While a backup runs, nothing is removed that its snapshot of the database may name: bytes of
 * files, repositories, branches and commits. A backup holds a lock on a table that hardly changes;
 * it conflicts with that of another backup and with nothing that servers do.
 *
 * What removes something asks with `noBackup` in the statement that finds what was deleted: a backup
 * that locks after that statement began has a later snapshot, in which it was deleted, too.
 */
const MODE = 'ShareUpdateExclusiveLock';

export const noBackup = sql`
  not exists (select from pg_locks
               where locktype = 'relation' and relation = 'repository_folder'::regclass
                 and mode = ${MODE} and granted
                 and database = (select oid from pg_database where datname = current_database()))`;

export const noBackupRuns = async (db: Pick<Database, 'one'>): Promise<boolean> =>
  (await db.one<{ free: boolean }>(sql`select ${noBackup} as free`)).free;

const WAIT_MS = 10_000;

/** A lock that is held until `close`, or until its connection is lost. */
interface BackupLock {
  /** Throws if the lock was lost meanwhile. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Throws an Error with a sentence while another backup runs. */
export async function lockForBackup(url: string, connectTimeout?: number): Promise<BackupLock> {
  const client = await connectSingle(url, { applicationName: 'guildhall backup', connectTimeout });
  try {
    await client.query(WITHOUT_LIMITS);
    await client.query('begin');
    await client.query(`set local lock_timeout = ${WAIT_MS}`);
    await client.query('lock table repository_folder in share update exclusive mode');
  } catch (error) {
    await client.end();
    throw error instanceof pg.DatabaseError && error.code === '55P03' ? new Error(OTHER) : error;
  }
  return {
    check: async () => {
      await client.query('select 1');
    },
    close: () => client.end(),
  };
}

const OTHER = 'Another backup of this database is running: wait until it has ended.';
