import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { binaries, createCluster, findCluster, osUser } from './files.ts';
import { isFree, lock, type Release } from './lock.ts';
import { boot, type Cluster, findPort, halt, initialize, probe, url } from './server.ts';

/**
 * The embedded default: a real PostgreSQL 18 from npm, one cluster per DATA_DIR.
 *
 * PostgreSQL outlives the process that started it when that one is killed, so two locks say what is the case:
 * `postgres.lock` is held while somebody starts or stops, `postgres-in-use.lock` is shared by every process that works
 * with the cluster. Who comes finds it running, or starts it; the last one to leave stops it.
 */
export type Embedded = { url: string; started: boolean; stop(): Promise<void> };
export type EmbeddedOptions = {
  dataDir: string;
  log?: (line: string) => void;
  settings?: Record<string, string>;
};

const DATABASE = 'guildhall';

/**
 * Starts the PostgreSQL of a DATA_DIR, or attaches to the one that runs. `started` is true when this call started it
 * or took up one that nobody used (its server was killed). `stop()` waits for PostgreSQL to end unless another process
 * still uses it; calling it again does nothing more. Throws an Error that ends with PostgreSQL's own words when it does
 * not start. `settings` are PostgreSQL's, and count only for the call that starts it.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log = () => {}, settings = {} } = options;
  const user = await osUser();
  const dataDir = await makeDataDir(options.dataDir);
  const programs = await binaries(user, log);
  const starting = join(dataDir, 'postgres.lock');
  const inUse = join(dataDir, 'postgres-in-use.lock');
  const onWait = () =>
    log(`Another process is starting or stopping PostgreSQL in ${dataDir}: waiting.`);

  const unlock = await lock(starting, 'exclusive', onWait);
  try {
    const alone = isFree(inUse);
    const leave = await lock(inUse, 'shared', onWait);
    let cluster: Cluster | undefined;
    try {
      const password = await readPassword(dataDir);
      const volatile = settings.fsync === 'off';
      const build = (directory: string) =>
        initialize(programs, user, directory, password, volatile);
      const path =
        (await findCluster(dataDir, user)) ?? (await createCluster(dataDir, user, log, build));
      cluster = { path, password, dataDir, programs, user };
      const found = await findPort(cluster);
      if (!found && !alone) await refuseForeigner(dataDir);
      const port = found ?? (await boot(cluster, settings));
      if (!found || alone)
        await fs.writeFile(serverFile(dataDir), `${process.pid}\n${hostname()}\n`);
      await createDatabase(url(password, port, 'postgres'));
      const stop = once(() => stopEmbedded(cluster as Cluster, starting, inUse, leave, onWait));
      return { url: url(password, port, DATABASE), started: !found || alone, stop };
    } catch (error) {
      leave();
      if (cluster && isFree(inUse)) await halt(cluster).catch(() => {});
      throw error;
    }
  } finally {
    unlock();
  }
}

async function stopEmbedded(
  cluster: Cluster,
  starting: string,
  inUse: string,
  leave: Release,
  onWait: () => void,
): Promise<void> {
  const unlock = await lock(starting, 'exclusive', onWait);
  try {
    leave();
    if (isFree(inUse)) await halt(cluster);
  } finally {
    unlock();
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let acting: Promise<void> | undefined;
  return () => {
    acting ??= act();
    return acting;
  };
}

/** The PostgreSQL that runs for this DATA_DIR, for a command beside a server; undefined when none does. */
export async function findEmbedded(dataDir: string): Promise<{ url: string } | undefined> {
  const dir = await fs.realpath(resolve(dataDir)).catch(() => undefined);
  const path = dir && (await findCluster(dir));
  if (!dir || !path) return undefined;
  const password = await readPassword(dir);
  const state = await probe(path, password);
  return typeof state === 'number' ? { url: url(password, state, DATABASE) } : undefined;
}

/** Where the files of a DATA_DIR's PostgreSQL are: in it, or where PostgreSQL's own user can reach them. */
export const clusterOf = async (dataDir: string): Promise<string | undefined> =>
  findCluster(await fs.realpath(resolve(dataDir)));

/** Which process, on which machine or in which container, started PostgreSQL last. */
const serverFile = (dataDir: string) => join(dataDir, 'serve.pid');

async function makeDataDir(dataDir: string): Promise<string> {
  // Only a directory of our making: PostgreSQL's user may pass through it, the password in it stays ours.
  if (await makeDirectory(resolve(dataDir))) await fs.chmod(resolve(dataDir), 0o755);
  return fs.realpath(resolve(dataDir));
}

/** With its parents; true when it was not there. Step by step: below /proc a recursive mkdir never comes back. */
async function makeDirectory(path: string): Promise<boolean> {
  const made = await fs.mkdir(path).then(
    () => true,
    (error) => error.code,
  );
  if (made === true || made === 'EEXIST') return made === true;
  const parent = dirname(path);
  if (made !== 'ENOENT' || parent === path || !(await makeDirectory(parent)))
    throw new Error(`The directory ${path} cannot be made (${made}): choose another DATA_DIR.`);
  await fs.mkdir(path);
  return true;
}

/** Written before the cluster that will have it, so that a crash between the two loses nothing. */
async function readPassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres-password');
  const known = await fs.readFile(file, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (known !== undefined) return known.trim();
  if (await findCluster(dataDir))
    throw new Error(`${file} is gone, and with it the way into the database.`);
  const password = randomBytes(24).toString('base64url');
  await fs.writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
  await fs.rename(`${file}.new`, file);
  return password;
}

/** Two containers on one volume do not see each other's processes; PostgreSQL's own check would let both in. */
async function refuseForeigner(dataDir: string): Promise<void> {
  const [pid, host] = (await fs.readFile(serverFile(dataDir), 'utf8').catch(() => '')).split('\n');
  if (!host || host === hostname()) return;
  throw new Error(
    `${dataDir} is in use by process ${pid} on ${host}: two machines cannot share a DATA_DIR.`,
  );
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, ssl: false });
  await client.connect();
  try {
    const { rows } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rows.length === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
