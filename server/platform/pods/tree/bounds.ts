import { posix } from 'node:path';
import { inBytes } from '../limits.ts';
import type { TreeBounds } from '../pod.ts';
import { PodError } from '../pod.ts';

/** What may be in a work tree that is moved. Its content is the agent's, and so is the archive. */

export const TREE_BOUNDS: TreeBounds = { maxBytes: 1024 ** 3, maxEntries: 100_000 };

const MOST_PATH = 4_096;
const MOST_NAME = 255;
export const MOST_DEPTH = 100;

/** Counts what has passed; throws `too_large`, with the file, where it is more than the bounds. */
export function counter(bounds: TreeBounds): (bytes: number, path: string) => void {
  const passed = { bytes: 0, entries: 0 };
  const tooLarge = (what: string, path: string, bytes: number) => {
    const where = Buffer.from(path).toString('utf8', 0, 100);
    const reached = `reached at ${where} (${inBytes(bytes)})`;
    return new PodError('too_large', `the work tree has more than ${what}, ${reached}: ${TO_DO}`);
  };
  return (bytes, path) => {
    passed.bytes += bytes;
    passed.entries += 1;
    if (passed.bytes > bounds.maxBytes) throw tooLarge(inBytes(bounds.maxBytes), path, bytes);
    if (passed.entries > bounds.maxEntries)
      throw tooLarge(`${bounds.maxEntries} files`, path, bytes);
  };
}

export const TO_DO = 'let the agent delete what is not needed, also of what .gitignore names';

/**
 * Whether a file of this path is moved. What a `.git` holds can make git run programs, and git
 * itself adds none to a commit.
 */
export const isMoved = (path: string): boolean =>
  path.split('/').every((name) => name.toLowerCase() !== '.git');

/** Throws `outside` for a path that is not one below the work tree, spelled in its only way. */
export function checkPath(path: string): void {
  const names = path.split('/');
  const odd = (name: string) =>
    ['', '.', '..'].includes(name) || Buffer.byteLength(name) > MOST_NAME || name.includes('\0');
  if (names.some(odd) || names.length > MOST_DEPTH || Buffer.byteLength(path) > MOST_PATH)
    throw new PodError('outside', `${path.slice(0, MOST_NAME)} is no path of a work tree`);
}

/** Whether a link at this path leads to somewhere below the work tree. */
export function staysInside(path: string, target: string): boolean {
  if (target === '' || target.includes('\0') || target.startsWith('/')) return false;
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  return reached !== '..' && !reached.startsWith('../') && Buffer.byteLength(target) <= MOST_PATH;
}
