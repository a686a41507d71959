import { once } from 'node:events';
import pg from 'pg';
import { type Sql, statement } from '../sql.ts';
import { Client, type DatabaseTrace, Reader, SILENCE, type SlowStatement } from './connection.ts';
import { type SessionOptions, startupOptions } from './session.ts';

/**
 * PostgreSQL cannot be reached, refuses the login, is restarting, full, read-only or too busy: nothing was done, or it was
 * rolled back. Only when the answer to a commit never came nobody knows; then all of it was done or nothing. Answered as
 * 503. The message is for the log.
 */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(refusesLogin(cause) ? LOGIN_REFUSED : 'the database is unavailable', { cause });
  }
}

// Unlike other trouble this does not pass by itself.
const LOGIN_REFUSED =
  'PostgreSQL refuses the login in DATABASE_URL: give that its new password and start again, or give it its right back';

/** What a page may do inside a transaction. */
export interface Tx {
  /** All rows of one statement. */
  many<Row>(query: Sql): Promise<Row[]>;
  /** The only row; throws when there is none or more than one. */
  one<Row>(query: Sql): Promise<Row>;
  /** The row, or nothing. */
  maybeOne<Row>(query: Sql): Promise<Row | undefined>;
}

/** Two lanes to one PostgreSQL (see docs/decisions/0004). */
export interface Database extends Tx {
  /** One statement that only reads: shares a few pipelined connections. */
  read<Row>(query: Sql): Promise<Row[]>;
  /**
   * Runs `work` in one READ COMMITTED transaction on a connection of its own; retried when PostgreSQL asks for it.
   * `statementTimeout`: milliseconds for one statement instead of the configured ones; 0 for any time.
   */
  transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    options?: { statementTimeout?: number },
  ): Promise<Result>;
  /** Connections of the pool now, and how many wait for one. */
  connections(): { used: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** `url`: of a login that may act as `guildhall_app`. Times in milliseconds. */
export interface DatabaseOptions extends SessionOptions {
  url: string;
  readers?: number;
  poolSize?: number;
  /** For a connection, and for waiting until one of the pool is free. */
  connectTimeout?: number;
  /** A statement that takes longer is told to `onSlow`; 0 for none. */
  slowStatement?: number;
  onSlow?: ((slow: SlowStatement) => void) | undefined;
  onError?: (error: Error) => void;
  trace?: DatabaseTrace | undefined;
}

const RETRIES = 3;

const FOREVER = 2 ** 31 - 1;
const patience = (statementTimeout: number) =>
  statementTimeout === 0 ? FOREVER : statementTimeout + SILENCE;

/** Opens both lanes; connections are made when first used. */
export function openDatabase(options: DatabaseOptions): Database {
  const { onError = () => {}, statementTimeout = 10_000, connectTimeout = 5_000 } = options;
  const settings = {
    connectionString: options.url,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: patience(statementTimeout),
    slowAfter: options.slowStatement ?? 0,
    onSlow: options.onSlow,
    trace: options.trace,
    keepAlive: true,
    application_name: 'guildhall',
    types: { getTypeParser },
    ...startupOptions(options),
  } as unknown as pg.PoolConfig;
  // Kept while idle, because a new connection has to plan every statement anew.
  const pool = new pg.Pool({
    ...settings,
    Client,
    max: options.poolSize ?? 16,
    idleTimeoutMillis: 300_000,
  });
  pool.on('error', onError);
  // The pool stops listening to a client that it closes; PostgreSQL may still have a last word for it.
  let connections = 0;
  pool.on('connect', (client) => {
    connections++;
    client.on('error', () => {});
  });
  pool.on('remove', () => {
    connections--;
  });
  const readers = Array.from({ length: options.readers ?? 3 }, () => new Reader(settings, onError));
  let turn = 0;

  const lent = <Result>(work: (client: pg.PoolClient) => Promise<Result>) =>
    guarded(() => retried(() => lend(pool, work)));

  const many = <Row>(query: Sql) =>
    lent(async (client) => (await client.query(statement(query))).rows as Row[]);

  return {
    ...single(many),
    many,
    read: (query) => {
      turn = (turn + 1) % readers.length;
      const reader = readers[turn] as Reader;
      return guarded(async () => (await reader.query(query)).rows);
    },
    transaction: (work, { statementTimeout } = {}) => {
      const done = () => lent((client) => transaction(client, work, statementTimeout));
      return options.trace === undefined ? done() : options.trace.transaction(done);
    },
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await Promise.all([pool.end(), ...readers.map((reader) => reader.close())]);
      // The pool does not wait for its sockets; whoever stops PostgreSQL next should not cut them.
      while (connections > 0) await once(pool, 'remove');
    },
  };
}

/** Lends a connection of the pool; one that is lost is closed instead of being given back. */
async function lend<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let lost = false;
  const onError = () => {
    lost = true;
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    lost ||= isLost(error);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(lost);
  }
}

async function transaction<Result>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<Result>,
  statementTimeout: number | undefined,
): Promise<Result> {
  const timing =
    statementTimeout === undefined ? {} : { query_timeout: patience(statementTimeout) };
  const many = async <Row>(query: Sql) =>
    (await client.query({ ...statement(query), ...timing })).rows as Row[];
  await client.query('begin');
  try {
    if (statementTimeout !== undefined)
      await client.query(`set local statement_timeout = ${Number(statementTimeout)}`);
    const result = await work({ many, ...single(many) });
    const { command } = await client.query({ text: 'commit', ...timing });
    if (command !== 'COMMIT')
      throw new Error('rolled back: a statement failed and the work went on');
    return result;
  } catch (error) {
    if (!isLost(error)) await client.query('rollback'); // closing a lost one does the same
    throw error;
  }
}

/** Does it again, at most three times, when PostgreSQL chose it as the victim of a conflict: nothing of it was kept. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!['40001', '40P01'].includes(sqlState(error)) || attempt === RETRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 5 * (1 + Math.random())));
  }
}

function single(many: Tx['many']): Pick<Tx, 'one' | 'maybeOne'> {
  const maybeOne = async <Row>(query: Sql): Promise<Row | undefined> => {
    const rows = await many<Row>(query);
    if (rows.length > 1) throw new Error(`one row expected, ${rows.length} returned`);
    return rows[0];
  };
  const one = async <Row>(query: Sql): Promise<Row> => {
    const row = await maybeOne<Row>(query);
    if (row === undefined) throw new Error('one row expected, none returned');
    return row;
  };
  return { one, maybeOne };
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isUnavailable(error) ? new DatabaseUnavailable(error) : error;
  }
}

/** The SQLSTATE of a PostgreSQL error, or ''. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The constraint or unique index that refused a statement, or ''. */
export function violatedConstraint(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : '';
}

/** The login itself is refused: an unknown or changed password (28P01), or it may not log in (28000). */
export const refusesLogin = (error: unknown): boolean =>
  ['28P01', '28000'].includes(sqlState(error));

// 08 connection · 28 the login is refused · 25P03 idle in its transaction · 25006 read-only (a standby, during a fail-over) ·
// 53 out of disk or other resources · 57 operator intervention and time-outs · 58 the system beneath · 55P03 lock not had in
// time · 40 still conflicting after the last retry.
const UNAVAILABLE_STATE = /^(08|28|53|57|58)|^(25006|25P03|55P03|40001|40P01)$/;
const UNAVAILABLE_MESSAGE = /connection|not queryable|Client was closed|timeout/i;

// The connection ends with these; or it leads to a server that takes no writes any more, and a new one may lead to
// that one's successor.
const LOST_STATE = /^(08|57P)|^(25006|25P03)$/;

const isLost = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? LOST_STATE.test(error.code ?? '') : isUnavailable(error);

function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined)
    return /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code);
  return error.constructor === Error && UNAVAILABLE_MESSAGE.test(error.message);
}

// Amounts and versions are bigint in PostgreSQL and bigint here: no money ever becomes a float on the way.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return BigInt;
  return pg.types.getTypeParser(oid, format as 'text');
}
