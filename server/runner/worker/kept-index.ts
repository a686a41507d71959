import { link, lstat, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The index of git after the last commit of a work tree, or after it was filled. By it, git compares
 * the times, size, number and owner of each file instead of its content. It is a file beside the work
 * tree, which goes with it. Git never changes an index in place, so a second name of it will do, and
 * keeps the time by which git knows which files were changed too late for such a comparison.
 */
const nameIn = (folder: string): string => join(folder, 'index');

/** Of a younger one, most files would be read again: see `isSince`. */
const LEAST_AGE_MS = 5_000;

/**
 * Gives the kept index a second name. Returns as of when it knows the files, in milliseconds as of
 * `Date.now()`; undefined where there is none to be used.
 */
export async function takeIndex(folder: string, index: string): Promise<number | undefined> {
  try {
    const stats = await lstat(nameIn(folder));
    // Git would write to where a link leads.
    if (!stats.isFile() || Date.now() - stats.mtimeMs < LEAST_AGE_MS) return undefined;
    await link(nameIn(folder), index);
    return stats.mtimeMs;
  } catch {
    return undefined;
  }
}

/**
 * Keeps an index that has what was committed. `index` may have its name afterwards. `lookedFrom`:
 * when git began to look at files which others may have changed meanwhile, in milliseconds as of the
 * file system. It writes the index after the last of many, long after that.
 */
export async function keepIndex(
  folder: string,
  index: string,
  lookedFrom: number | undefined,
): Promise<void> {
  if (lookedFrom !== undefined) await utimes(index, lookedFrom / 1_000, lookedFrom / 1_000);
  await rename(index, nameIn(folder));
}

/** How coarse the times of a file system may be. */
const COARSE_MS = 2_000;

/**
 * Whether a file was changed after the index knew it, or may have been. Git may take it for
 * unchanged: it compares seconds, and whoever writes a file can set all of its times but this one.
 */
export const isSince = (changedAt: number, knownAt: number): boolean =>
  changedAt >= knownAt - COARSE_MS;
