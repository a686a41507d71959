import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findCluster } from './cluster-location.ts';

/** What the embedded PostgreSQL stores in a DATA_DIR beside its cluster. */

/** Held while a process starts or stops PostgreSQL. */
export const startingLock = (dataDir: string) => join(dataDir, 'postgres.lock');
/** Shared by every process that uses PostgreSQL. */
export const inUseLock = (dataDir: string) => join(dataDir, 'postgres-in-use.lock');

const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password');
/** Which process, on which machine or in which container, started PostgreSQL last. */
const serverFile = (dataDir: string) => join(dataDir, 'serve.pid');

/** Returns the real path of a DATA_DIR, which is made when it is missing. */
export async function makeDataDir(dataDir: string): Promise<string> {
  // Only a new directory is opened: PostgreSQL's user must pass through it, the password in it
  // stays private.
  if (await makeDirectory(resolve(dataDir))) await fs.chmod(resolve(dataDir), 0o755);
  return fs.realpath(resolve(dataDir)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `DATA_DIR must be a folder: ${dataDir} is a link that leads to none (${error.code}). Make that ` +
        'folder, or choose another DATA_DIR.',
      { cause: error },
    );
  });
}

/**
 * With its parents; true when it was missing. One level at a time: below /proc a recursive mkdir
 * never returns.
 */
async function makeDirectory(path: string): Promise<boolean> {
  const made = await fs.mkdir(path).then(
    () => true,
    (error) => error.code,
  );
  if (made === true || made === 'EEXIST') return made === true;
  const parent = dirname(path);
  if (made !== 'ENOENT' || parent === path || !(await makeDirectory(parent)))
    throw new Error(`The directory ${path} cannot be created (${made}): choose another DATA_DIR.`);
  await fs.mkdir(path);
  return true;
}

/** Undefined when none was made yet. */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return (await fs.readFile(passwordFile(dataDir), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (await findCluster(dataDir))
    throw new Error(
      `${passwordFile(dataDir)} is missing, and without it the database cannot be opened: ` +
        'restore it.',
    );
  return undefined;
}

/** Written before the cluster that will have it, so that a crash in between loses nothing. */
export async function makePassword(dataDir: string): Promise<string> {
  const file = passwordFile(dataDir);
  const password = randomBytes(24).toString('base64url');
  await fs.writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
  await fs.rename(`${file}.new`, file);
  return password;
}

export const recordServer = (dataDir: string) =>
  fs.writeFile(serverFile(dataDir), `${process.pid}\n${hostname()}\n`);

/**
 * Two containers that share a volume do not see each other's processes, so PostgreSQL's own check
 * would let both in.
 */
export async function refuseOtherMachine(dataDir: string): Promise<void> {
  const [pid, host] = (await fs.readFile(serverFile(dataDir), 'utf8').catch(() => '')).split('\n');
  if (!host || host === hostname()) return;
  throw new Error(
    `${dataDir} is in use by process ${pid} on ${host}: two machines cannot share a DATA_DIR.`,
  );
}
