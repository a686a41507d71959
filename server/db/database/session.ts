/**
 * What each connection is set to. The settings are sent as the connection starts. A pooler hands
 * one session to many clients, so behind one they are stored with the login instead, and a server
 * checks that they are there (decision 4).
 */
export interface SessionOptions {
  /**
   * What stands between this server and PostgreSQL: nothing, or PgBouncer with `pool_mode =
   * transaction`.
   */
  pooler?: 'none' | 'transaction';
  /** Milliseconds, as the next two. */
  statementTimeout?: number;
  lockTimeout?: number;
  idleInTransactionTimeout?: number;
}

/** Which connections a setting is for: see docs/decisions/0004. */
export type Group = 'pool' | 'readers' | 'writers';

// Long enough for a row that another one-statement write has locked, short enough for the
// statements behind it.
const WRITERS_LOCK_TIMEOUT = 25;

/** By the names and in the units of `pg_settings`. */
export function sessionSettings(options: SessionOptions, group: Group): Record<string, string> {
  const lockTimeout = group === 'writers' ? WRITERS_LOCK_TIMEOUT : (options.lockTimeout ?? 5_000);
  return {
    role: 'guildhall_app',
    TimeZone: 'UTC',
    plan_cache_mode: 'force_generic_plan',
    // What requests read is in memory or on a disk without an arm, and no statement of theirs is
    // worth compiling.
    random_page_cost: '1.1',
    jit: 'off',
    statement_timeout: String(options.statementTimeout ?? 10_000),
    lock_timeout: String(lockTimeout),
    idle_in_transaction_session_timeout: String(options.idleInTransactionTimeout ?? 30_000),
    ...(group === 'readers' ? { default_transaction_read_only: 'on' } : {}),
  };
}

/** The start-up parameter `options`, which a pooler in transaction mode would refuse or lose. */
export function startupOptions(options: SessionOptions, group: Group): { options?: string } {
  if (options.pooler === 'transaction') return {};
  const settings = Object.entries(sessionSettings(options, group));
  return { options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' ') };
}
