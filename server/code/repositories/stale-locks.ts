import { lstat, open, realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Git takes a reference by a file beside it, for milliseconds: the longest is a transaction of many
 * references. One that is killed meanwhile leaves the file, and nobody can change the reference.
 */

const STALE_MS = 120_000;
/** A git that was only stopped, with its machine, finds within this time that its lock is gone. */
const NOTICED_MS = 1_000;
const IN_THE_WAY = /Unable to create '([^'\n]+)': File exists/;

/** Whether a file in a repository locks a reference, and is no guard of such a lock (see below). */
export const isReferenceLock = (name: string): boolean =>
  /^(?:HEAD|packed-refs|refs\/.+)\.lock$/s.test(name) && !/\.\.|\.lock\.lock$/.test(name);

/**
 * Removes the lock of a reference that git names in `stderr`, if it is stale. Returns whether it was
 * removed, so that the command may be run again.
 */
export async function removeNamedLock(gitDir: string, stderr: string): Promise<boolean> {
  const path = IN_THE_WAY.exec(stderr)?.[1];
  if (path === undefined || !isAbsolute(path)) return false;
  const within = [gitDir, await realpath(gitDir).catch(() => gitDir)].map((folder) =>
    relative(folder, path),
  );
  if (!within.some(isReferenceLock) || !(await removeStaleLock(path))) return false;
  await pause(NOTICED_MS);
  return true;
}

/**
 * Removes what a killed git has left of these references, before a push of which git would only say
 * that it has failed.
 */
export async function removeLocksOf(gitDir: string, refs: readonly string[]): Promise<void> {
  let removed = false;
  for (const name of ['HEAD', 'packed-refs', ...refs].map((ref) => `${ref}.lock`))
    if (isReferenceLock(name) && (await removeStaleLock(join(gitDir, name)))) removed = true;
  if (removed) await pause(NOTICED_MS);
}

/**
 * Removes a lock of a reference if it is two minutes old. One process at a time does so: another one
 * would remove the lock of a git that has taken the reference since.
 */
export async function removeStaleLock(path: string): Promise<boolean> {
  if (!(await isStale(path))) return false;
  // No reference can have a name with this end, so git passes it over.
  const guard = `${path}.lock`;
  const handle = await open(guard, 'wx').catch(() => undefined);
  if (handle === undefined) return false;
  try {
    if (!(await isStale(path))) return false;
    await rm(path);
    return true;
  } finally {
    await handle.close();
    await rm(guard, { force: true });
  }
}

const isStale = (path: string): Promise<boolean> =>
  lstat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > STALE_MS,
    () => false,
  );
