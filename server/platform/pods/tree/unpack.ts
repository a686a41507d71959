import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PodError, type TreeBounds } from '../pod.ts';
import { checkPath, counter, isMoved, staysInside } from './bounds.ts';
import { inFolder } from './in-folder.ts';
import { emptyFolder } from './remove-tree.ts';
import { type ReadEntry, readArchive } from './tar.ts';

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
): Promise<void> {
  await emptyFolder(root);
  const count = counter(bounds);
  for await (const { entry, size, content } of readArchive(archive)) {
    checkPath(entry.path);
    count(size, entry.path);
    if (!isMoved(entry.path)) continue;
    await inFolder(
      root,
      entry.path,
      (folder, name) =>
        place(join(folder, name), entry, content).catch((error) => {
          if (error.code !== 'EEXIST') throw error;
          throw new PodError('failed', `the archive has ${entry.path} twice`, { cause: error });
        }),
      makeFolder,
    );
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

async function place(where: string, entry: ReadEntry, content: AsyncIterable<Buffer>) {
  if (entry.type === 'folder') await makeFolder(where);
  if (entry.type === 'link' && staysInside(entry.path, entry.target))
    await symlink(entry.target, where);
  if (entry.type !== 'file') return;
  const mode = entry.executable ? 0o755 : 0o644;
  const file = await open(where, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  await writeAll(file, content).finally(() => file.close());
}

async function writeAll(file: FileHandle, content: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of content)
    for (let at = 0; at < chunk.length; )
      at += (await file.write(chunk, at, chunk.length - at)).bytesWritten;
}

const makeFolder = (path: string) =>
  mkdir(path).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
