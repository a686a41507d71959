import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** The OS user that runs the embedded PostgreSQL, and what that user can reach. */

const exec = promisify(execFile);

/** Where root puts what PostgreSQL's own user could not reach otherwise. */
export const SHARED_DIR = '/var/lib/guildhall';

export type OsUser = { uid: number; gid: number };

/**
 * The OS user that PostgreSQL must run as: undefined for the current one, or `postgres` when that
 * is root, which PostgreSQL refuses. The user is created if it is missing; throws an Error that
 * names DATABASE_URL when that fails.
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
    'PostgreSQL refuses to run as root, and the OS user "postgres" could not be created. ' +
      'Create it, run Guildhall as another user, or set DATABASE_URL to your own PostgreSQL.',
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

export const READ_AND_ENTER = 0o5;
const ENTER = 0o1;

/** Whether the user may pass through `dir` (a real path) and every directory above it. */
export async function canEnter(dir: string, user: OsUser): Promise<boolean> {
  if (!allows(await fs.stat(dir), user, ENTER)) return false;
  return dir === dirname(dir) || canEnter(dirname(dir), user);
}

export function allows(stats: Stats, user: OsUser, bits: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/** The mode is set separately, because root's umask would limit one given to `mkdir`. */
export async function makeSharedDir(): Promise<void> {
  if (await exists(SHARED_DIR)) return;
  await fs.mkdir(SHARED_DIR, { recursive: true });
  await fs.chmod(SHARED_DIR, 0o755);
}

export function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}
