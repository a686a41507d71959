import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { connectSingle } from '../database/single-connection.ts';
import { type Cluster, url } from './cluster.ts';
import { createCluster, findCluster } from './cluster-location.ts';
import {
  makeDataDir,
  makePassword,
  readPassword,
  recordServer,
  refuseOtherMachine,
} from './data-dir.ts';
import { findRunning, probe, type Timeouts } from './find-running.ts';
import { haltNow } from './halt.ts';
import { osUser } from './os-user.ts';
import { boot, initialize, untilEnded } from './postgres.ts';
import { findPrograms } from './programs.ts';
import { type Shared, share } from './sharing.ts';

/**
 * The embedded default: a real PostgreSQL 18 from npm, one cluster per DATA_DIR. A process that
 * arrives finds it running or starts it; the last one to leave stops it.
 */
export interface Embedded {
  url: string;
  /**
   * True when this call started PostgreSQL, or took over one that no process used (its server was
   * killed).
   */
  started: boolean;
  /** Settles when this PostgreSQL has ended, for whatever reason. */
  ended(): Promise<void>;
  /** Waits for PostgreSQL to end unless another process uses it. Further calls do nothing more. */
  stop(): Promise<void>;
}

type EmbeddedOptions = {
  dataDir: string;
  log?: (line: string) => void;
  /** PostgreSQL's settings; they count only in the call that starts it. */
  settings?: Record<string, string>;
  /** Ends the start, which throws its reason; PostgreSQL is then stopped unless others use it. */
  signal?: AbortSignal | undefined;
  /** How long to wait for a PostgreSQL that refuses connections. */
  timeouts?: Timeouts;
};

const DATABASE = 'guildhall';

/**
 * Starts the PostgreSQL of a DATA_DIR, or joins the one that runs. Throws an Error that ends with
 * PostgreSQL's own output when it does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log = () => {}, settings = {}, signal, timeouts } = options;
  const waiting = { log, signal, timeouts };
  const tools = await findTools(log);
  const dataDir = await makeDataDir(options.dataDir);
  const open = async (alone: boolean) => {
    const volatile = settings.fsync === 'off';
    const cluster = await findOrCreate(dataDir, tools, log, { volatile, signal });
    try {
      const found = await findRunning(cluster, waiting);
      if (!found && !alone) await refuseOtherMachine(dataDir);
      const running = found ?? (await boot(cluster, settings, waiting));
      const started = !found || alone;
      if (started) await recordServer(dataDir);
      await createDatabase(url(cluster.password, running.port, 'postgres'), signal);
      return { cluster, running, started };
    } catch (error) {
      if (alone) await haltNow(cluster);
      signal?.throwIfAborted();
      throw error;
    }
  };
  return asEmbedded(await share(dataDir, log, open, signal));
}

/** Joins the PostgreSQL that runs for a DATA_DIR, and never starts one. Throws when none runs. */
export async function joinEmbedded(dataDir: string, signal?: AbortSignal): Promise<Embedded> {
  const found = await findDataDir(dataDir);
  if (found === undefined) throw new Error(NOT_RUNNING);
  const silent = () => {};
  const tools = await findTools(silent);
  const open = async () => {
    const cluster = { ...found, ...tools };
    const running = await findRunning(cluster, { signal });
    if (running === undefined) throw new Error(NOT_RUNNING);
    return { cluster, running, started: false };
  };
  return asEmbedded(await share(found.dataDir, silent, open, signal));
}

const asEmbedded = ({ cluster, running, started, leave }: Shared): Embedded => ({
  url: url(cluster.password, running.port, DATABASE),
  started,
  ended: () => untilEnded(running.postmaster),
  stop: leave,
});

const NOT_RUNNING = 'The embedded PostgreSQL is not running.';

/**
 * The PostgreSQL that runs for this DATA_DIR, for a command beside a server; undefined when none
 * does.
 */
export async function findEmbedded(
  dataDir: string,
): Promise<Pick<Embedded, 'url' | 'ended'> | undefined> {
  const found = await findDataDir(dataDir);
  if (found === undefined) return undefined;
  const state = await probe(found.path, found.password);
  if (state === undefined || !('port' in state)) return undefined;
  return {
    url: url(found.password, state.port, DATABASE),
    ended: () => untilEnded(state.postmaster),
  };
}

/** Where the files of a DATA_DIR's PostgreSQL are; undefined when there is none yet. */
export async function clusterOf(dataDir: string): Promise<string | undefined> {
  const dir = await fs.realpath(resolve(dataDir)).catch(() => undefined);
  return dir && findCluster(dir);
}

type Tools = Pick<Cluster, 'user' | 'programs'>;

async function findTools(log: (line: string) => void): Promise<Tools> {
  const user = await osUser();
  return { user, programs: await findPrograms(user, log) };
}

async function findOrCreate(
  dataDir: string,
  tools: Tools,
  log: (line: string) => void,
  options: { volatile: boolean; signal: AbortSignal | undefined },
): Promise<Cluster> {
  const { user, programs } = tools;
  const password = (await readPassword(dataDir)) ?? (await makePassword(dataDir));
  const build = (directory: string) => initialize(programs, user, directory, password, options);
  const path =
    (await findCluster(dataDir, user)) ?? (await createCluster(dataDir, user, log, build));
  return { path, password, dataDir, ...tools };
}

/** The cluster and password of a DATA_DIR that has them. Changes nothing. */
async function findDataDir(
  given: string,
): Promise<Pick<Cluster, 'dataDir' | 'path' | 'password'> | undefined> {
  const dataDir = await fs.realpath(resolve(given)).catch(() => undefined);
  const path = dataDir && (await findCluster(dataDir));
  const password = dataDir && path && (await readPassword(dataDir));
  return dataDir && path && password ? { dataDir, path, password } : undefined;
}

async function createDatabase(connectionString: string, signal?: AbortSignal): Promise<void> {
  const client = await connectSingle(connectionString, { ssl: false, signal });
  try {
    const { rows } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rows.length === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
