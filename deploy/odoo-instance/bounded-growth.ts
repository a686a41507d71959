import type pg from 'pg';
import * as databases from './database.ts';
import { Unusable } from './unusable.ts';

const GIB = 1024 ** 3;

export interface Growth {
  database: string;
  role: string;
  /** Bytes that the database may have. */
  most: number;
}

/**
 * Does some work in a database, unless that becomes larger than it may: then everything that the role
 * has at work is ended, and it throws Unusable. PostgreSQL has no such limit itself.
 */
export async function boundedGrowth(
  server: pg.ClientConfig,
  { database, role, most }: Growth,
  work: () => Promise<void>,
  everyMs = 2_000,
): Promise<void> {
  let tooLarge = false;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    await databases.connected(server, async (client) => {
      const { rows } = await client.query<{ size: string }>(
        'select pg_database_size(oid) as size from pg_database where datname = $1',
        [database],
      );
      tooLarge ||= Number(rows[0]?.size ?? 0) > most;
      if (tooLarge) await databases.endSessions(client, role);
    });
  };
  const timer = setInterval(() => {
    // One that fails is followed by another.
    looking = looking.then(look).catch(() => undefined);
  }, everyMs);
  try {
    await work();
  } catch (error) {
    throw tooLarge ? asTooLarge(most) : error;
  } finally {
    clearInterval(timer);
    await looking;
  }
  if (tooLarge) throw asTooLarge(most);
}

const asTooLarge = (most: number) =>
  new Unusable(
    `The database of the dump becomes larger than ${(most / GIB).toFixed(1)} GiB, ` +
      'which is more than its zip explains.',
  );
