import type pg from 'pg';
import * as databases from './database.ts';
import { Unusable } from './unusable.ts';

const GIB = 1024 ** 3;

/** Bytes by which the database of an instance, or a copy that modules change, may grow. */
const MOST_GROWTH = 10 * GIB;

interface Growth {
  database: string;
  role: string;
  /** Bytes that the database may have, instead of those that it has and MOST_GROWTH. */
  most?: number;
  /** Called, perhaps more than once, as soon as it is too large. */
  onTooLarge?: () => void;
  /** Between two looks, in milliseconds. */
  every?: number;
}

/** The message is for people. */
export class TooLarge extends Unusable {}

/**
 * Does some work in a database, unless that becomes larger than it may: then everything that the role
 * has at work is ended, and it throws TooLarge. PostgreSQL has no such limit itself.
 */
export async function boundedGrowth<Result>(
  server: pg.ClientConfig,
  { database, role, most, onTooLarge = () => {}, every = 2_000 }: Growth,
  work: () => Promise<Result>,
): Promise<Result> {
  const size = (client: pg.Client) => databases.sizeOf(client, database);
  const bound = most ?? (await databases.connected(server, size)) + MOST_GROWTH;
  let tooLarge = false;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    await databases.connected(server, async (client) => {
      tooLarge ||= (await size(client)) > bound;
      if (!tooLarge) return;
      onTooLarge();
      await databases.endSessions(client, role);
    });
  };
  const timer = setInterval(() => {
    // One that fails is followed by another.
    looking = looking.then(look).catch(() => undefined);
  }, every);
  const done = await work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  clearInterval(timer);
  await looking;
  if (tooLarge)
    throw new TooLarge(`The database became larger than ${(bound / GIB).toFixed(1)} GiB.`);
  if ('error' in done) throw done.error;
  return done.result;
}
