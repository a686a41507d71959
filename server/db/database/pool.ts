import { once } from 'node:events';
import pg from 'pg';
import { Client, type ClientOptions } from './connection.ts';
import { isLost } from './errors.ts';

/** Connections that one caller at a time has to itself. */
interface Pool {
  /**
   * Runs `work` on a connection; one that is lost meanwhile is closed instead of being used again.
   */
  withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  /** The same for what `work` yields: the connection is in use until that ends or is ended. */
  eachWithConnection<Item>(
    work: (client: pg.PoolClient) => AsyncIterable<Item>,
  ): AsyncGenerator<Item, void>;
  connections(): { used: number; idle: number; waiting: number };
  /** Resolves when the last socket is closed. */
  close(): Promise<void>;
}

/** At most `size` connections, each made when it is needed. */
export function openPool(
  size: number,
  settings: ClientOptions,
  onError: (error: Error) => void,
): Pool {
  const pool = new pg.Pool({
    ...settings,
    Client,
    max: size,
    // Idle connections stay for a while, because a new one has to plan every statement again.
    idleTimeoutMillis: 300_000,
  });
  let open = 0;
  pool.on('error', onError);
  pool.on('connect', (client) => {
    open++;
    // The pool stops listening to a client that it closes, and PostgreSQL may still report an error
    // to it.
    client.on('error', () => {});
  });
  pool.on('remove', () => {
    open--;
  });
  return {
    withConnection: (work) => withConnection(pool, work),
    eachWithConnection: (work) => eachWithConnection(pool, work),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await pool.end();
      // pg's own end() does not wait for the sockets, and PostgreSQL should not have to cut them
      // when it stops next.
      while (open > 0) await once(pool, 'remove');
    },
  };
}

async function withConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const { client, release } = await take(pool);
  try {
    const result = await work(client);
    release();
    return result;
  } catch (error) {
    release(error);
    throw error;
  }
}

async function* eachWithConnection<Item>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  const { client, release } = await take(pool);
  let failed: unknown;
  try {
    yield* work(client);
  } catch (error) {
    failed = error;
    throw error;
  } finally {
    release(failed);
  }
}

/** A connection, and how to give it back: after an error that it was lost with, it is closed. */
async function take(
  pool: pg.Pool,
): Promise<{ client: pg.PoolClient; release(error?: unknown): void }> {
  const client = await pool.connect();
  let lost = false;
  const onError = () => {
    lost = true;
  };
  client.on('error', onError);
  return {
    client,
    release: (error) => {
      client.off('error', onError);
      client.release(lost || (error !== undefined && isLost(error)));
    },
  };
}
