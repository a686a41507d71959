import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lchown, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PodError, type PodFiles } from '../pod.ts';
import type { PodUser } from './process-driver.ts';

/**
 * Reads and writes a work tree while the agent may change it. Every folder of a path is opened in
 * turn without following links, and the next is looked up in what was opened, so that nothing can
 * be exchanged in between.
 */

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

export function podFiles(root: string, user: PodUser | undefined): PodFiles {
  const give = async (path: string) => {
    if (user !== undefined) await lchown(path, user.uid, user.gid);
  };

  return {
    read: (path, { maxBytes }) =>
      inFolder(root, path, async (folder, name) => {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        const file = await open(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        try {
          return await contentOf(file, path, maxBytes);
        } finally {
          await file.close();
        }
      }),

    async write(path, content) {
      const step = async (folder: string) => {
        await mkdir(folder).catch(ignore('EEXIST'));
        await give(folder);
      };
      await inFolder(
        root,
        path,
        async (folder, name) => {
          // A new file under the name: the old one may have other names that are not in the tree.
          const temporary = join(folder, `.${randomUUID()}`);
          const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
          await file.writeFile(content).finally(() => file.close());
          await give(temporary);
          await rename(temporary, join(folder, name));
        },
        step,
      );
    },

    async remove(path) {
      await inFolder(root, path, (folder, name) =>
        rm(join(folder, name), { recursive: true, force: true }),
      );
    },

    list: (path) =>
      inFolder(root, path === '' ? '.' : `${path}/.`, async (folder) => {
        const entries = await readdir(folder, { withFileTypes: true });
        const files = entries.map(async (entry) => {
          const size = entry.isFile() ? (await lstat(join(folder, entry.name))).size : 0;
          return { name: entry.name, type: typeOf(entry), size } as const;
        });
        return (await Promise.all(files)).sort((a, b) => (a.name < b.name ? -1 : 1));
      }),

    async adopt() {
      if (user === undefined) return;
      await give(root);
      for (const entry of await readdir(root, { withFileTypes: true, recursive: true }))
        await give(join(entry.parentPath, entry.name));
    },
  };
}

interface Folder {
  path: string;
  handle: FileHandle;
}

/**
 * Calls `use` with the folder of `path` as an open descriptor and the last name of it. Undefined
 * when there is no such folder or file.
 */
async function inFolder<T>(
  root: string,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
  step?: (folder: string) => Promise<void>,
): Promise<T | undefined> {
  const names = path.split('/').filter((name) => name !== '');
  if (names.includes('..') || path.startsWith('/') || path.includes('\0')) throw outside(path);
  const name = names.pop() ?? '.';
  let folder: Folder = { path: root, handle: await open(root, O_DIRECTORY) };
  try {
    for (const next of names.filter((one) => one !== '.')) {
      await step?.(inside(folder, next));
      const handle = await open(inside(folder, next), O_DIRECTORY | O_NOFOLLOW);
      await folder.handle.close();
      folder = { path: join(folder.path, next), handle };
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

/**
 * Linux names what is open by a path. Elsewhere the path itself is used, and a link that replaces a
 * folder at this very moment would be followed.
 */
const inside = (folder: Folder, name: string): string =>
  join(process.platform === 'linux' ? `/proc/self/fd/${folder.handle.fd}` : folder.path, name);

async function contentOf(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new PodError('failed', `${path} is not a file`);
  if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
  const buffer = Buffer.alloc(Math.min(maxBytes, stats.size) + 1);
  // It may grow while it is read.
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length === buffer.length) throw new PodError('failed', `${path} grows: read it again`);
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}

const outside = (path: string) =>
  new PodError('outside', `${path} must be below the work tree, without links`);

const tooLarge = (path: string, maxBytes: number) =>
  new PodError('too_large', `${path} must have at most ${maxBytes} bytes`);

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
};

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }) {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
