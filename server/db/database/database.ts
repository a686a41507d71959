import pg from 'pg';
import { type Sql, statement } from '../sql.ts';
import {
  type ClientOptions,
  type DatabaseTrace,
  queryTimeout,
  type SlowStatement,
} from './connection.ts';
import {
  DatabaseUnavailable,
  isConflict,
  isUnavailable,
  LOCK_NOT_AVAILABLE,
  READ_ONLY,
  sqlState,
} from './errors.ts';
import { PipelinedGroup } from './pipelined.ts';
import { openPool } from './pool.ts';
import { Replicas } from './replicas.ts';
import { type Group, type SessionOptions, startupOptions } from './session.ts';
import { type Snapshot, snapshot } from './snapshot.ts';
import { single, type Tx, transaction } from './transaction.ts';

export {
  DatabaseUnavailable,
  reasonOf,
  refusesLogin,
  sqlState,
  violatedConstraint,
} from './errors.ts';
export type { Snapshot } from './snapshot.ts';
export type { Tx } from './transaction.ts';

/**
 * Three groups of connections to one PostgreSQL (docs/decisions/0004). `many` and its kin use the
 * pool.
 */
export interface Database extends Tx {
  /**
   * One statement that only reads. PostgreSQL refuses a write here, unless a pooler stands between.
   */
  read<Row>(query: Sql): Promise<Row[]>;
  /**
   * The same by a replica that has everything that was committed before the call, or by the primary
   * where there is none.
   */
  readFromReplica<Row>(query: Sql): Promise<Row[]>;
  /**
   * One statement that writes and normally waits for no lock. When it does have to wait, it starts
   * again on the pool, so it may wait as long as there. A statement that waits by design, or takes
   * long, belongs on the pool from the start.
   */
  write<Row>(query: Sql): Promise<Row[]>;
  /**
   * Runs `work` in one READ COMMITTED transaction on a connection of its own; retried when
   * PostgreSQL asks for it. `statementTimeout`: milliseconds for each statement instead of the
   * configured time; 0 for any time.
   */
  transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    options?: { statementTimeout?: number },
  ): Promise<Result>;
  /**
   * What `work` yields while it reads one moment of the database. It has a connection of its own
   * until it ends, or its reader stops reading.
   */
  snapshot<Item>(work: (tx: Snapshot) => AsyncIterable<Item>): AsyncGenerator<Item, void>;
  /** Connections of the pool now, and how many callers wait for one. */
  connections(): { used: number; idle: number; waiting: number };
  /** Whether each replica is used now, and the reads that it has answered. */
  replicas(): readonly { name: string; used: boolean; reads: number }[];
  close(): Promise<void>;
}

/** `url`: of a login that may act as `guildhall_app`. Times in milliseconds. */
export interface DatabaseOptions extends SessionOptions {
  url: string;
  readers?: number;
  writers?: number;
  poolSize?: number;
  /** For a connection, and for waiting until one of the pool is free. */
  connectTimeout?: number;
  /** A statement that takes longer is reported to `onSlow`; 0 for none. */
  slowStatement?: number;
  onSlow?: ((slow: SlowStatement) => void) | undefined;
  onError?: (error: Error) => void;
  trace?: DatabaseTrace | undefined;
  /** Of streaming standbys of the database at `url`. */
  replicaUrls?: readonly string[];
  /** Told why a replica is not used, as a sentence, and with undefined once it is. */
  onReplica?: (name: string, fault: string | undefined) => void;
}

const RETRIES = 3;

/** Opens all three groups; each connection is made when it is first used. */
export function openDatabase(options: DatabaseOptions): Database {
  const { onError = () => {} } = options;
  const pool = openPool(options.poolSize ?? 16, settings(options, 'pool'), onError);
  const readers = new PipelinedGroup(options.readers ?? 3, settings(options, 'readers'), onError);
  const writers = new PipelinedGroup(options.writers ?? 4, settings(options, 'writers'), onError);

  const pooled = <Result>(work: (client: pg.PoolClient) => Promise<Result>) =>
    guarded(() => retried(() => pool.withConnection(work)));

  const many = <Row>(query: Sql) =>
    pooled(async (client) => (await client.query(statement(query))).rows as Row[]);

  const write = async <Row>(query: Sql): Promise<Row[]> => {
    try {
      return await retried(() => writers.query<Row>(query));
    } catch (error) {
      // The statement had no effect, so that all of it may run again where waiting delays nothing
      // else.
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return many<Row>(query);
      throw error;
    }
  };

  const read = <Row>(query: Sql) => guarded(() => readers.query<Row>(query), { unless: READ_ONLY });

  const replicas = new Replicas({
    urls: options.replicaUrls ?? [],
    connections: options.readers ?? 3,
    settings: (url) => settings({ ...options, url }, 'readers'),
    session: options,
    primary: { read: (query) => readers.query(query), write: many },
    onChange: options.onReplica ?? (() => {}),
  });

  return {
    ...single(many),
    many,
    read,
    readFromReplica:
      replicas.all.length === 0
        ? read
        : async <Row>(query: Sql) =>
            (await guarded(() => replicas.read<Row>(query))) ?? (await read<Row>(query)),
    // A pooler keeps the settings with the login, so that this group could not have a short
    // `lock_timeout` of its own.
    write: options.pooler === 'transaction' ? many : (query) => guarded(() => write(query)),
    transaction: (work, { statementTimeout } = {}) => {
      const done = () => pooled((client) => transaction(client, work, statementTimeout));
      return options.trace === undefined ? done() : options.trace.transaction(done);
    },
    snapshot: (work) => guardedEach(pool.eachWithConnection((client) => snapshot(client, work))),
    connections: pool.connections,
    replicas: () => replicas.all,
    close: async () => {
      await Promise.all([replicas.close(), pool.close(), readers.close(), writers.close()]);
    },
  };
}

const settings = (options: DatabaseOptions, group: Group): ClientOptions =>
  ({
    connectionString: options.url,
    connectionTimeoutMillis: options.connectTimeout ?? 5_000,
    query_timeout: queryTimeout(options.statementTimeout ?? 10_000),
    slowAfter: options.slowStatement ?? 0,
    onSlow: options.onSlow,
    trace: options.trace,
    keepAlive: true,
    application_name: 'guildhall',
    types: { getTypeParser },
    ...startupOptions(options, group),
  }) as unknown as ClientOptions;

/**
 * Runs `work` again, at most three times, while PostgreSQL chooses it as the victim of a conflict.
 */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === RETRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 5 * (1 + Math.random())));
  }
}

/** Turns what PostgreSQL cannot do now into DatabaseUnavailable, `unless` it is this SQLSTATE. */
async function guarded<Result>(
  work: () => Promise<Result>,
  { unless }: { unless?: string } = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isUnavailable(error) && sqlState(error) !== unless
      ? new DatabaseUnavailable(error)
      : error;
  }
}

async function* guardedEach<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  try {
    yield* items;
  } catch (error) {
    throw isUnavailable(error) ? new DatabaseUnavailable(error) : error;
  }
}

// Amounts and versions are bigint in PostgreSQL and bigint here: no money ever becomes a float on
// the way.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return BigInt;
  return pg.types.getTypeParser(oid, format as 'text');
}
