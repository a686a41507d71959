import { once } from 'node:events';
import pg from 'pg';
import { type Sql, statement } from './sql.ts';

/** PostgreSQL cannot be reached, is restarting or too busy: nothing was done, or it was rolled back. Answered as 503. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause });
  }
}

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
  /** Runs `work` in one READ COMMITTED transaction on a connection of its own; retried when PostgreSQL asks for it. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Connections of the pool now, and how many wait for one. */
  connections(): { used: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** `url`: of a login that may act as `guildhall_app`. Times in milliseconds. */
export interface DatabaseOptions {
  url: string;
  readers?: number;
  poolSize?: number;
  statementTimeout?: number;
  lockTimeout?: number;
  onError?: (error: Error) => void;
}

const RETRIES = 3;

/** Opens both lanes; connections are made when first used. */
export function openDatabase(options: DatabaseOptions): Database {
  const onError = options.onError ?? (() => {});
  const settings = {
    connectionString: options.url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'guildhall',
    types: { getTypeParser },
    options: [
      'role=guildhall_app',
      'timezone=UTC',
      'plan_cache_mode=force_generic_plan',
      // What requests read is in memory or on a disk without an arm, and no statement of theirs is worth compiling.
      'random_page_cost=1.1',
      'jit=off',
      'idle_in_transaction_session_timeout=30000',
      `statement_timeout=${options.statementTimeout ?? 10_000}`,
      `lock_timeout=${options.lockTimeout ?? 5_000}`,
    ]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  } as unknown as pg.PoolConfig;
  // Kept while idle, because a new connection has to plan every statement anew.
  const pool = new pg.Pool({ ...settings, max: options.poolSize ?? 16, idleTimeoutMillis: 300_000 });
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

  const run = async <Row>(client: pg.Pool | pg.PoolClient, query: Sql): Promise<Row[]> =>
    (await client.query(statement(query))).rows as Row[];

  const many = <Row>(query: Sql) => guarded(() => retried(() => run<Row>(pool, query)));

  return {
    ...single(many),
    many,
    read: (query) => {
      turn = (turn + 1) % readers.length;
      const reader = readers[turn] as Reader;
      return guarded(async () => (await reader.query(query)).rows);
    },
    transaction: (work) => guarded(() => retried(() => transaction(pool, run, work))),
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

/** One pipelined connection, made on first use and made anew after it broke. */
class Reader {
  readonly #settings: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  #client: Promise<pg.Client> | undefined;

  constructor(settings: pg.ClientConfig, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  async query(query: Sql) {
    this.#client ??= this.#connect();
    return (await this.#client).query(statement(query));
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#settings, pipeline: true } as pg.ClientConfig);
    const forget = () => {
      this.#client = undefined;
    };
    client.on('error', (error) => {
      forget();
      this.#onError(error);
    });
    client.on('end', forget);
    try {
      await client.connect();
    } catch (error) {
      forget();
      throw error;
    }
    return client;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}

async function transaction<Result>(
  pool: pg.Pool,
  run: <Row>(client: pg.PoolClient, query: Sql) => Promise<Row[]>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const many = <Row>(query: Sql) => run<Row>(client, query);
    const result = await work({ many, ...single(many) });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
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

// 08 connection · 53 out of resources · 57 operator intervention and time-outs · 55P03 lock not had in time ·
// 25006 read-only (a standby, during a fail-over) · 40 still conflicting after the last retry.
const UNAVAILABLE_STATE = /^(08|53|57)|^(55P03|25006|40001|40P01)$/;
const UNAVAILABLE_MESSAGE = /connection|not queryable|Client was closed|timeout/i;

function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code);
  return error.constructor === Error && UNAVAILABLE_MESSAGE.test(error.message);
}

// Amounts and versions are bigint in PostgreSQL and bigint here: no money ever becomes a float on the way.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return BigInt;
  return pg.types.getTypeParser(oid, format as 'text');
}
