import { type FileHandle, link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { HEADER } from '../../platform/archive/names.ts';
import { syncFolder } from './marker.ts';

/** A file that appears under its name when it is whole. Only this user can read it. */
interface ArchiveFile {
  create(): Promise<FileHandle>;
  /** Gives it its name; returns how many bytes it has. */
  publish(): Promise<number>;
  /** Removes what has no name yet. */
  close(): Promise<void>;
}

/**
 * Throws an Error with a sentence where it cannot be, or is there already and may not be replaced.
 * What a killed backup has left under the temporary name is replaced.
 */
export async function archiveFile(path: string, overwrite: boolean): Promise<ArchiveFile> {
  const file = resolve(path);
  const part = `${file}.part`;
  const folder = dirname(file);
  let handle: FileHandle | undefined;
  const there = await lstat(file).catch(() => undefined);
  if (there !== undefined && !overwrite) throw isThere(path);
  if (there !== undefined && !there.isFile())
    throw new Error(`${path} must be the name of a file: there is something else.`);
  const parent = await stat(folder).catch(() => undefined);
  if (parent?.isDirectory() !== true)
    throw new Error(`${folder} must be a folder that is there: make it, or choose another file.`);

  return {
    create: async () => {
      await removeLeft(part);
      handle = await open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
        throw new Error(`${part} cannot be written (${error.code}): choose another file.`);
      });
      return handle;
    },
    publish: async () => {
      const { ino, size } = await (handle as FileHandle).stat();
      await handle?.sync();
      if ((await lstat(part)).ino !== ino)
        throw new Error(`Another backup writes ${basename(part)}, too: choose another file.`);
      await (overwrite ? rename(part, file) : linkOrRename(part, file, path));
      await syncFolder(folder);
      return size;
    },
    close: async () => {
      if (handle === undefined) return;
      const { ino } = await handle.stat();
      await handle.close();
      const left = await lstat(part).catch(() => undefined);
      if (left?.ino === ino) await rm(part, { force: true });
    },
  };
}

/** What a killed backup has left; a file of anybody else under this name stays. */
async function removeLeft(part: string): Promise<void> {
  const there = await lstat(part).catch(() => undefined);
  if (there === undefined) return;
  if (!(there.isFile() && (await isBegun(part))))
    throw new Error(
      `${part} is there, and no backup has left it: move it away, or choose another name.`,
    );
  await rm(part, { force: true });
}

/** Whether an archive begins there, or nothing was written to it yet. */
async function isBegun(part: string): Promise<boolean> {
  const file = await open(part, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    const begin = Buffer.alloc(HEADER.length);
    const { bytesRead } = await file.read(begin, 0, begin.length, 0);
    return begin.toString('latin1', 0, bytesRead) === HEADER.slice(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Not over a file that has appeared meanwhile. Some file systems have no links. */
async function linkOrRename(part: string, file: string, path: string): Promise<void> {
  await link(part, file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || (await lstat(file).catch(() => undefined)) !== undefined)
      throw isThere(path);
    await rename(part, file);
  });
}

const isThere = (path: string) =>
  new Error(`${path} is there already: choose another name, or add --overwrite.`);
