import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../db/database/database.ts';
import { verifySession } from '../db/database/session.ts';
import { findEmbedded, startEmbedded } from '../db/embedded/embedded.ts';
import { migrate } from '../db/migrate.ts';

/** A migrated database and what belongs to it. `close` ends the embedded PostgreSQL too, when this process started it. */
export interface Connected {
  db: Database;
  /** The owner's login: for migrations and the command line. */
  url: string;
  embedded: boolean;
  serverSecret: string;
  /** The last migration of this version: what `/readyz` looks for. */
  migration: string;
  close(): Promise<void>;
}

/**
 * Connects to the database of the configuration: one's own by DATABASE_URL, or the embedded one, which is started, or
 * joined where a server of the same DATA_DIR runs already. Migrates it. Throws with a sentence for people.
 */
export async function connect(
  config: Pick<Config, 'databaseUrl' | 'database' | 'dataDir' | 'serverSecret'>,
  options: Pick<DatabaseOptions, 'onError' | 'onSlow' | 'trace'> & {
    say?: (line: string) => void;
    beside?: boolean;
  } = {},
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
      embedded: embedded !== undefined,
      serverSecret: config.serverSecret ?? (await keptSecret(config.dataDir)),
      migration: current,
      close: () => db.close().finally(() => embedded?.stop()),
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** The embedded PostgreSQL of a DATA_DIR, not migrated. `beside`: joins a running one without keeping it alive. */
export async function openEmbedded(
  dataDir: string,
  { beside = false, say }: { beside?: boolean; say?: (line: string) => void } = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const running = beside ? await findEmbedded(dataDir) : undefined;
  return running === undefined
    ? startEmbedded({ dataDir, ...(say === undefined ? {} : { log: say }) })
    : { ...running, stop: async () => {} };
}

/** A secret of this data directory, made once. */
async function keptSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'server-secret');
  const read = () => readFile(file, 'utf8').then((text) => text.trim());
  return read().catch(async () => {
    await mkdir(dataDir, { recursive: true }).catch((error) => {
      // In a container with a read-only file system, mostly; mkdir then says ENOENT.
      throw new Error(
        `SERVER_SECRET is not set, and none can be kept in ${dataDir} (${error.code}): set one of at least 32 characters.`,
      );
    });
    // Linked into place whole, and only where none is: of two processes that start at once, both use the first one's.
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(draft);
    return read();
  });
}
