import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { PodError } from '../pod.ts';

/**
 * Reaches files of a work tree while the agent may change it. Every folder of a path is opened in
 * turn without following links, and the next is looked up in what was opened, so that nothing can
 * be exchanged in between.
 */

const { O_DIRECTORY, O_NOFOLLOW } = constants;

/** A folder by its descriptor; `path` is where it was opened. */
export interface OpenFolder {
  path: string;
  fd: number;
}

/**
 * Calls `use` with the folder of `path` as an open descriptor and the last name of it. Undefined
 * when there is no such folder or file. `step` is called with each folder before it is opened.
 */
export async function inFolder<T>(
  root: string,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
  step?: (folder: string) => Promise<void>,
): Promise<T | undefined> {
  const names = path.split('/').filter((name) => name !== '');
  if (names.includes('..') || path.startsWith('/') || path.includes('\0')) throw outside(path);
  const name = names.pop() ?? '.';
  let folder = openRoot(root);
  try {
    for (const next of names.filter((one) => one !== '.')) {
      await step?.(inside(folder, next));
      const child = openFolder(folder, Buffer.from(next));
      closeSync(folder.fd);
      folder = child;
    }
    return await use(inside(folder, ''), name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw outside(path);
    throw error;
  } finally {
    closeSync(folder.fd);
  }
}

/** Nobody but the server may exchange `path` itself. The caller closes the descriptor. */
export const openRoot = (path: string): OpenFolder => ({ path, fd: openSync(path, O_DIRECTORY) });

/** Of a folder that is open, one that is in it. The caller closes the descriptor. */
export const openFolder = (parent: OpenFolder, name: Buffer): OpenFolder => ({
  path: join(parent.path, name.toString()),
  fd: openSync(entryIn(parent, name), O_DIRECTORY | O_NOFOLLOW),
});

/**
 * Linux names what is open by a path. Elsewhere the path itself is used, and a link that replaces a
 * folder at this very moment would be followed.
 */
export const inside = (folder: OpenFolder, name: string): string =>
  join(process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : folder.path, name);

/** As `inside`, for a name that need not be UTF-8. */
export const entryIn = (folder: OpenFolder, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${inside(folder, '')}/`), name]);

export const outside = (path: string) =>
  new PodError('outside', `${path} must be below the work tree, without links`);

/** What `open` returns, or undefined where it throws one of these codes. */
export function unless<T>(codes: readonly string[], open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  }
}
