import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PodError } from '../pod.ts';

/**
 * Reaches files of a work tree while the agent may change it. Every folder of a path is opened in
 * turn without following links, and the next is looked up in what was opened, so that nothing can
 * be exchanged in between.
 */

const { O_DIRECTORY, O_NOFOLLOW } = constants;

export interface Folder {
  path: string;
  handle: FileHandle;
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
  let folder: Folder = await openRoot(root);
  try {
    for (const next of names.filter((one) => one !== '.')) {
      await step?.(inside(folder, next));
      const child = await openFolder(folder, Buffer.from(next));
      await folder.handle.close();
      folder = child;
    }
    return await use(inside(folder, ''), name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw outside(path);
    throw error;
  } finally {
    await folder.handle.close();
  }
}

/** Nobody but the server may exchange `path` itself. */
export const openRoot = async (path: string): Promise<Folder> => ({
  path,
  handle: await open(path, O_DIRECTORY),
});

export const openFolder = async (parent: Folder, name: Buffer): Promise<Folder> => ({
  path: join(parent.path, name.toString()),
  handle: await open(entryIn(parent, name), O_DIRECTORY | O_NOFOLLOW),
});

/**
 * Linux names what is open by a path. Elsewhere the path itself is used, and a link that replaces a
 * folder at this very moment would be followed.
 */
export const inside = (folder: Folder, name: string): string =>
  join(process.platform === 'linux' ? `/proc/self/fd/${folder.handle.fd}` : folder.path, name);

/** As `inside`, for a name that need not be UTF-8. */
export const entryIn = (folder: Folder, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${inside(folder, '')}/`), name]);

export const outside = (path: string) =>
  new PodError('outside', `${path} must be below the work tree, without links`);
