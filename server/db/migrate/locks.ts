import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Any number that no other program locks: "guildhal" in ASCII. */
const LOCK = 0x6775_696c_6468_616cn;
const POLL_MS = 100;
const LONGEST_PAUSE_MS = 8_000;
const ROLE_RACES = 10;

/** How long a migration waits for a lock on a table, and how often. */
export interface LockRetries {
  /**
   * Milliseconds for each attempt. Requests to the table queue behind a migration that waits for
   * it.
   */
  lockTimeout: number;
  attempts: number;
  /** Called before each pause. */
  log: (line: string) => void;
  /** Ends a pause. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs `work` in one transaction, while no other process migrates this database. The lock is asked
 * for again and again instead of being waited for: a transaction that waits would keep `create
 * index concurrently` from ever finishing.
 */
export async function exclusively<Result>(
  client: pg.Client,
  lockTimeout: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    await client.query('begin');
    try {
      // What a migration does may take long, and so may the statements outside of the transaction
      // that holds the lock.
      await client.query(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
         set local lock_timeout = ${lockTimeout}; set local client_min_messages = warning`,
      );
      const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [LOCK]);
      if (rows[0].locked) {
        const result = await work();
        await client.query('commit');
        return result;
      }
      await client.query('rollback');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
    await pause(POLL_MS);
  }
}

/**
 * Runs `work`, which is one transaction, until no lock is missing. Throws an Error that says who
 * may hold the lock after the last attempt. Any other error is thrown as it is.
 */
export async function retryOnLock<Result>(
  client: pg.Client,
  { lockTimeout, attempts, log, signal }: LockRetries,
  work: () => Promise<Result>,
): Promise<Result> {
  let races = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (isRaceOnRoles(error) && races++ < ROLE_RACES) {
        attempt--;
        continue;
      }
      if (!isMissingLock(error)) throw error;
      const file = (error as Error).message.split(/[,:]/)[0];
      const waited = `${file} did not get a lock within ${lockTimeout / 1000} s`;
      if (attempt === attempts)
        throw new Error(
          `${waited}, ${attempts} times in a row. ${await oldest(client)}Nothing of this file ` +
            'was applied: let that transaction end, or end it with pg_terminate_backend, ' +
            'and migrate again.',
          { cause: error },
        );
      const ms = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
      log(`${waited}, which another transaction holds; trying again.`);
      await pause(ms, undefined, { signal });
    }
  }
}

async function oldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`
    select pid, usename as login, nullif(application_name, '') as name,
           extract(epoch from now() - xact_start)::int as seconds
      from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`);
  const [found] = rows;
  if (found === undefined) return '';
  const who = `process ${found.pid} (login ${found.login}${found.name ? `, ${found.name}` : ''})`;
  return `The oldest transaction here, of ${who}, began ${found.seconds} s ago. `;
}

/** The error that PostgreSQL raised, also below the one that names the file. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

// 55P03 lock_not_available · 40P01 deadlock_detected
function isMissingLock(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof pg.DatabaseError && ['55P03', '40P01'].includes(cause.code ?? '');
}

/**
 * Roles belong to the whole server: two databases of it migrated at once meet there, past the lock
 * of each.
 */
function isRaceOnRoles(error: unknown): boolean {
  const cause = causeOf(error);
  return (
    cause instanceof pg.DatabaseError && /^tuple concurrently (updated|deleted)/.test(cause.message)
  );
}
