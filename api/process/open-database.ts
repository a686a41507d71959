import type { Config } from '../config.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../db/database/database.ts';
import { verifySession } from '../db/database/session.ts';
import {
  type Embedded,
  findEmbedded,
  joinEmbedded,
  startEmbedded,
} from '../db/embedded/embedded.ts';
import { migrate } from '../db/migrate.ts';

/** A migrated database and what belongs to it. `close` also stops the embedded PostgreSQL unless another process uses it. */
export interface Connected {
  db: Database;
  /** The owner's login: for migrations and the command line. */
  url: string;
  embedded: Pick<Embedded, 'ended'> | undefined;
  /** The last migration of this version: what `/readyz` looks for. */
  migration: string;
  close(): Promise<void>;
}

/**
 * What a process does with the embedded PostgreSQL of its DATA_DIR. `start`: a server starts it, or joins a running one.
 * `join`: a worker joins the one that its first process started. `beside`: a command uses the one of a running server
 * without keeping it running, and starts it where there is none.
 */
export type EmbeddedUse = 'start' | 'join' | 'beside';

export interface ConnectOptions extends Pick<DatabaseOptions, 'onError' | 'onSlow' | 'trace'> {
  say?: (line: string) => void;
  embedded?: EmbeddedUse;
}

/**
 * Connects to the database of the configuration, your own (DATABASE_URL) or the embedded one, and migrates it. Throws
 * with a sentence for people.
 */
export async function connect(
  config: Pick<Config, 'databaseUrl' | 'database' | 'dataDir'>,
  options: ConnectOptions = {},
): Promise<Connected> {
  const embedded =
    config.databaseUrl === undefined ? await openEmbedded(config.dataDir, options) : undefined;
  const url = config.databaseUrl ?? (embedded?.url as string);
  try {
    const { current } = await migrate(url);
    const db = openDatabase({
      url,
      ...config.database,
      onSlow: options.onSlow,
      trace: options.trace,
      ...(options.onError ? { onError: options.onError } : {}),
    });
    await verifySession(db, config.database).catch(async (error) => {
      await db.close();
      throw error;
    });
    return {
      db,
      url,
      embedded,
      migration: current,
      close: () => db.close().finally(() => embedded?.stop()),
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** The embedded PostgreSQL of a DATA_DIR, not migrated. */
export async function openEmbedded(
  dataDir: string,
  { embedded = 'start', say = () => {} }: Pick<ConnectOptions, 'embedded' | 'say'> = {},
): Promise<Omit<Embedded, 'started'>> {
  if (embedded === 'join') return joinEmbedded(dataDir);
  const running = embedded === 'beside' ? await findEmbedded(dataDir) : undefined;
  return running === undefined
    ? startEmbedded({ dataDir, log: say })
    : { ...running, stop: async () => {} };
}
