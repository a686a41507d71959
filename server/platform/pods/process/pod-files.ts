import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Dirent, fchownSync, lchownSync, lstatSync } from 'node:fs';
import { type FileHandle, lchown, lstat, mkdir, open, opendir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PodError, type PodFile, type PodFiles } from '../pod.ts';
import { TREE_BOUNDS } from '../tree/bounds.ts';
import { type Disk, SHARED } from '../tree/disk.ts';
import { inFolder, unless } from '../tree/in-folder.ts';
import { packTree } from '../tree/pack.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { unpackTree } from '../tree/unpack.ts';
import { type Found, typeOf, WALK, walkTree } from '../tree/walk-tree.ts';
import type { PodUser } from './pod-user.ts';

/** Reads and writes a work tree of this machine while the agent may change it. */

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

export function podFiles(root: string, user: PodUser | undefined, disk: Disk = SHARED): PodFiles {
  /** By what is open: another file may have the name by then. */
  const give = async (file: FileHandle) => {
    if (user !== undefined) await file.chown(user.uid, user.gid);
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
        const made = await open(folder, O_DIRECTORY | O_NOFOLLOW);
        await give(made).finally(() => made.close());
      };
      await inFolder(
        root,
        path,
        async (folder, name) => {
          // A new file under the name: the old one may have other names that are not in the tree.
          const temporary = join(folder, `.${randomUUID()}`);
          const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
          try {
            await file.writeFile(content);
            await give(file);
          } finally {
            await file.close();
          }
          await rename(temporary, join(folder, name));
        },
        step,
      );
    },

    async remove(path) {
      await inFolder(root, path, (folder, name) => removeTree(join(folder, name), { disk }));
    },

    list: (path) =>
      inFolder(root, path === '' ? '.' : `${path}/.`, async (folder) => {
        const files: PodFile[] = [];
        const encoding = 'buffer' as BufferEncoding;
        for await (const entry of await opendir(folder, { encoding, bufferSize: 512 })) {
          if (files.length === MOST_LISTED)
            throw new PodError('too_large', `${path || '.'} has more than ${MOST_LISTED} files`);
          const file = await fileOf(folder, entry as unknown as Dirent<NonSharedBuffer>);
          if (file !== undefined) files.push(file);
        }
        return files.sort((a, b) => (a.name < b.name ? -1 : 1));
      }),

    async adopt({ signal } = {}) {
      if (user === undefined) return;
      await lchown(root, user.uid, user.gid);
      for await (const found of walkTree(root, ADOPTION, { signal })) adopt(found, user);
    },

    pack: (bounds = TREE_BOUNDS) => packTree(root, bounds, disk),

    async unpack(archive, bounds = TREE_BOUNDS) {
      await unpackTree(root, archive, bounds, disk);
      await files.adopt();
    },
  };
  return files;
}

/** No agent is at work in the tree, and a slow disk takes minutes for as many files as it may have. */
const ADOPTION = { ...WALK, within: 600_000 };

/** In a folder: as many as a commit may have. */
const MOST_LISTED = 100_000;

/**
 * Links keep their owner: only that of their folder counts. So does a file with a second name, which
 * may be one of the machine that the agent has linked to.
 */
function adopt({ type, where, opened }: Found, { uid, gid }: PodUser): void {
  if (opened !== undefined) fchownSync(opened.fd, uid, gid);
  if (type !== 'file') return;
  const stats = lstatSync(where, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.nlink > 1 || stats.uid === uid) return;
  unless(['ENOENT'], () => lchownSync(where, uid, gid));
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

const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error;
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
