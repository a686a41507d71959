import { link, lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The index of git after the last commit of a work tree, or after it was filled. By it, git compares
 * the times, size, number and owner of each file instead of its content. It is a file beside the work
 * tree, which goes with it. Git never changes an index in place, so a second name of it will do, and
 * keeps the time by which git knows which files were changed too late for such a comparison.
 */
const nameIn = (folder: string): string => join(folder, 'index');

/** Of a younger one, most files would be read again: see `isDoubtful`. */
const LEAST_AGE_MS = 5_000;

/**
 * Gives the kept index a second name. Returns when it was written, in milliseconds as of
 * `Date.now()`; undefined where there is none to be used.
 */
export async function takeIndex(folder: string, index: string): Promise<number | undefined> {
  try {
    const { mtimeMs } = await lstat(nameIn(folder));
    if (Date.now() - mtimeMs < LEAST_AGE_MS) return undefined;
    await link(nameIn(folder), index);
    return mtimeMs;
  } catch {
    return undefined;
  }
}

/** Keeps an index that has what was committed. `index` may have its name afterwards. */
export const keepIndex = (folder: string, index: string): Promise<void> =>
  rename(index, nameIn(folder));

/** How coarse the times of a file system may be. */
const COARSE_MS = 2_000;

/**
 * Whether git may take a file for unchanged that was changed around the time at which the index was
 * written: it compares seconds, and whoever writes a file can set all of its times but this one.
 */
export const isDoubtful = (changedAt: number, writtenAt: number): boolean =>
  Math.abs(changedAt - writtenAt) <= COARSE_MS;

/** Whether a file was changed after the index was written, or may have been. */
export const isSince = (changedAt: number, writtenAt: number): boolean =>
  changedAt >= writtenAt - COARSE_MS;
