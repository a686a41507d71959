import { access } from 'node:fs/promises';
import { type Database, type DatabaseOptions, openDatabase } from '../db/database/database.ts';
import { verifySession } from '../db/database/verify-session.ts';
import {
  clusterOf,
  type Embedded,
  findEmbedded,
  joinEmbedded,
  startEmbedded,
} from '../db/embedded/embedded.ts';
import { hasTables, migrate } from '../db/migrate.ts';
import { untilAccepted } from '../db/until-accepted.ts';
import { type Config, ConfigError } from '../platform/config/config.ts';
import { refuseHalfRestored } from './backup/marker.ts';

/**
 * A migrated database and what belongs to it. `close` also stops the embedded PostgreSQL unless
 * another process uses it.
 */
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
 * What a process does with the embedded PostgreSQL of its DATA_DIR. `start`: starts it, or joins a
 * running one, and creates the database if need be. `join`: a worker joins the one that its first
 * process started. `beside`: a command uses that of a running server without keeping it running, or
 * starts it, and refuses a place that holds no database. `share`: a process that goes on after the
 * server; it starts or joins it, keeps it running, and refuses a place that holds no database.
 */
export type EmbeddedUse = 'start' | 'join' | 'beside' | 'share';

export interface ConnectOptions
  extends Pick<DatabaseOptions, 'onError' | 'onSlow' | 'trace' | 'replicaUrls' | 'onReplica'> {
  say?: (line: string) => void;
  embedded?: EmbeddedUse;
  /** Ends the start, which throws its reason; what had started is then stopped again. */
  signal?: AbortSignal | undefined;
}

/**
 * Connects to the database of the configuration, your own (DATABASE_URL) or the embedded one, and
 * migrates it. Throws with a sentence for people.
 */
export async function connect(
  config: Pick<Config, 'databaseUrl' | 'database' | 'dataDir' | 'repositories'>,
  options: ConnectOptions = {},
): Promise<Connected> {
  await refuseHalfRestored(config);
  const embedded =
    config.databaseUrl === undefined ? await openEmbedded(config.dataDir, options) : undefined;
  const url = config.databaseUrl ?? (embedded?.url as string);
  try {
    const { connectTimeout } = config.database;
    const { signal } = options;
    await untilAccepted(url, { connectTimeout, signal, say: options.say });
    if (options.embedded === 'beside' || options.embedded === 'share')
      await refuseWithoutTables(url, config, signal);
    const { current } = await migrate(url, {
      connectTimeout,
      signal,
      ...(options.say === undefined ? {} : { log: options.say }),
    });
    const db = openDatabase({
      url,
      ...config.database,
      onSlow: options.onSlow,
      trace: options.trace,
      replicaUrls: options.replicaUrls ?? [],
      ...(options.onError ? { onError: options.onError } : {}),
      ...(options.onReplica ? { onReplica: options.onReplica } : {}),
    });
    try {
      await verifySession(db, config.database);
      signal?.throwIfAborted();
    } catch (error) {
      await db.close();
      throw error;
    }
    return {
      db,
      url,
      embedded,
      migration: current,
      close: () => db.close().finally(() => embedded?.stop()),
    };
  } catch (error) {
    await embedded?.stop();
    options.signal?.throwIfAborted();
    throw error;
  }
}

/**
 * The database of the configuration as it is, not migrated, beside a server if one runs. Throws a
 * ConfigError where there is none.
 */
export async function openUnmigrated(
  config: Pick<Config, 'databaseUrl' | 'database' | 'dataDir' | 'repositories'>,
): Promise<{ url: string; close(): Promise<void> }> {
  await refuseHalfRestored(config);
  const embedded =
    config.databaseUrl === undefined
      ? await openEmbedded(config.dataDir, { embedded: 'beside' })
      : undefined;
  const url = config.databaseUrl ?? (embedded?.url as string);
  const close = async () => embedded?.stop();
  try {
    await refuseWithoutTables(url, config, undefined);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The embedded PostgreSQL of a DATA_DIR, not migrated. */
export async function openEmbedded(
  dataDir: string,
  {
    embedded = 'start',
    say = () => {},
    signal,
  }: Pick<ConnectOptions, 'embedded' | 'say' | 'signal'> = {},
): Promise<Omit<Embedded, 'started'>> {
  if (embedded === 'join') return joinEmbedded(dataDir, signal);
  if (embedded === 'beside' || embedded === 'share') await refuseWithoutCluster(dataDir);
  if (embedded === 'beside') {
    const running = await findEmbedded(dataDir);
    if (running !== undefined) return { ...running, stop: async () => {} };
  }
  return startEmbedded({ dataDir, log: say, signal });
}

// Ruling 10.3: in a place without a database a command would create an empty one, and then report
// on that.

async function refuseWithoutCluster(dataDir: string): Promise<void> {
  if ((await clusterOf(dataDir)) !== undefined) return;
  const found = (await isThere(dataDir)) ? 'holds no database' : 'does not exist';
  throw new ConfigError([
    `DATA_DIR must be the folder in which a server stores its data: ${dataDir} ${found}. ` +
      'Set DATA_DIR as it is set for the server, or start a server there first (npm start)',
  ]);
}

async function refuseWithoutTables(
  url: string,
  { databaseUrl, dataDir, database }: Pick<Config, 'databaseUrl' | 'dataDir' | 'database'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await hasTables(url, { ...database, signal })) return;
  throw new ConfigError([
    databaseUrl === undefined
      ? 'DATA_DIR must be the folder in which a server stores its data: ' +
        `the database in ${dataDir} has no tables of Guildhall yet. ` +
        'Start a server there first (npm start)'
      : 'DATABASE_URL must be the database that a server uses: ' +
        'this one has no tables of Guildhall. Set DATABASE_URL as it is set for the server, ' +
        'or create the tables first (npm run guildhall -- migrate)',
  ]);
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
