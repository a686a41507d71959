import { constants } from 'node:fs';
import { PodError, type TreeBounds } from '../pod.ts';
import { checkPath, counter, isMoved, staysInside } from './bounds.ts';
import { type Disk, SHARED } from './disk.ts';
import { openPath } from './open-path.ts';
import { emptyFolder } from './remove-tree.ts';
import { type ReadEntry, readArchive } from './tar.ts';

/** Files that are written at once, and of what size at most. */
const AT_ONCE = 16;
const SMALL = 65_536;

/**
 * Replaces the content of a folder with that of an archive, which may be hostile: a path that
 * leaves the folder, a name that comes twice or more than the bounds is an error, and links that
 * lead out, devices, pipes, hard links and `.git` are left out. Throws PodError; the folder then
 * holds a part.
 */
export async function unpackTree(
  root: string,
  archive: AsyncIterable<Uint8Array>,
  bounds: TreeBounds,
  disk: Disk = SHARED,
): Promise<void> {
  await emptyFolder(root, { disk });
  const count = counter(bounds);
  let writing: Promise<void>[] = [];
  const written = async () => {
    const all = writing;
    writing = [];
    // All have settled then: a folder must outlast what is written into it.
    const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  const path = openPath(root, disk, written);
  try {
    for await (const { entry, size, content } of readArchive(archive)) {
      checkPath(entry.path);
      count(size, entry.path);
      if (!isMoved(entry.path)) continue;
      const where = await path.to(entry.path);
      if (where === undefined) continue;
      if (size > SMALL) {
        await place(disk, where, entry, content);
        continue;
      }
      const parts: Buffer[] = [];
      for await (const part of content) parts.push(part);
      const placed = place(disk, where, entry, parts);
      placed.catch(() => undefined);
      writing.push(placed);
      if (writing.length === AT_ONCE) await written();
    }
    await written();
  } finally {
    await Promise.allSettled(writing);
    await path.close();
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

async function place(
  disk: Disk,
  where: string,
  entry: ReadEntry,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  try {
    if (entry.type === 'folder') await makeFolder(disk, where);
    if (entry.type === 'link' && staysInside(entry.path, entry.target))
      await disk.symlink(entry.target, where);
    if (entry.type === 'file') await placeFile(disk, where, entry.executable, content);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its folder was removed meanwhile.
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') throw error;
    throw new PodError('failed', `the archive has ${entry.path} twice`, { cause: error });
  }
}

async function placeFile(
  disk: Disk,
  where: string,
  executable: boolean,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const mode = executable ? 0o755 : 0o644;
  const file = await disk.open(where, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    for await (const chunk of content)
      for (let at = 0; at < chunk.length; ) at += await disk.write(file, chunk, at);
  } finally {
    await disk.close(file);
  }
}

async function makeFolder(disk: Disk, where: string): Promise<void> {
  try {
    await disk.mkdir(where);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
