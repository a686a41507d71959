import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lchown, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PodError, type PodFile, type PodFiles } from '../pod.ts';
import { TREE_BOUNDS } from '../tree/bounds.ts';
import { inFolder } from '../tree/in-folder.ts';
import { packTree } from '../tree/pack.ts';
import { unpackTree } from '../tree/unpack.ts';
import type { PodUser } from './process-driver.ts';

/** Reads and writes a work tree of this machine while the agent may change it. */

const { O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

export function podFiles(root: string, user: PodUser | undefined): PodFiles {
  const give = async (path: string) => {
    if (user !== undefined) await lchown(path, user.uid, user.gid);
  };

  const files: PodFiles = {
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
        const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
        const files = await Promise.all(entries.map((entry) => fileOf(folder, entry)));
        return files
          .filter((file) => file !== undefined)
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      }),

    async adopt() {
      if (user === undefined) return;
      await give(root);
      for (const entry of await readdir(root, { withFileTypes: true, recursive: true }))
        await give(join(entry.parentPath, entry.name));
    },

    pack: (bounds = TREE_BOUNDS) => packTree(root, bounds),

    async unpack(archive, bounds = TREE_BOUNDS) {
      await unpackTree(root, archive, bounds);
      await files.adopt();
    },
  };
  return files;
}

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

const tooLarge = (path: string, maxBytes: number) =>
  new PodError('too_large', `${path} must have at most ${maxBytes} bytes`);

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error;
  return undefined;
};

/** Undefined for a file that was removed after the folder was read. */
async function fileOf(
  folder: string,
  entry: Dirent<NonSharedBuffer>,
): Promise<PodFile | undefined> {
  const name = entry.name.toString();
  if (!isUtf8(entry.name)) return { name, type: 'unnamed', size: 0 };
  if (!entry.isFile()) return { name, type: typeOf(entry), size: 0 };
  const stats = await lstat(join(folder, name)).catch(ignore('ENOENT'));
  return stats && { name, type: 'file', size: stats.size };
}

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }) {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
