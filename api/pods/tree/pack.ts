import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { counter, isMoved, MOST_DEPTH, staysInside, type TreeBounds } from './bounds.ts';
import { type Folder, inside, openFolder, openRoot } from './in-folder.ts';
import { END, headerOf, paddingOf } from './tar.ts';

/**
 * A folder as a tar archive: its folders, files and those links that stay inside. Nothing is
 * followed, and what is neither of these is left out, as is everything that changes meanwhile.
 * Throws `too_large` where it exceeds the bounds.
 */
export async function* packTree(root: string, bounds: TreeBounds): AsyncGenerator<Buffer> {
  const count = counter(bounds);
  const folder = await openRoot(root);
  try {
    yield* contentOf(folder, '', 1, count);
  } finally {
    await folder.handle.close();
  }
  yield END;
}

type Count = ReturnType<typeof counter>;

async function* contentOf(
  folder: Folder,
  prefix: string,
  depth: number,
  count: Count,
): AsyncGenerator<Buffer> {
  if (depth > MOST_DEPTH) return;
  for (const name of (await readdir(inside(folder, ''))).sort()) {
    const path = `${prefix}${name}`;
    if (!isMoved(path)) continue;
    const stats = await lstat(inside(folder, name)).catch(() => undefined);
    if (stats?.isDirectory()) {
      const child = await openFolder(folder, name).catch(() => undefined);
      if (child === undefined) continue;
      try {
        count(0, path);
        yield headerOf({ type: 'folder', path });
        yield* contentOf(child, `${path}/`, depth + 1, count);
      } finally {
        await child.handle.close();
      }
    } else if (stats?.isSymbolicLink()) {
      const target = await readlink(inside(folder, name)).catch(() => '');
      if (!staysInside(path, target)) continue;
      count(0, path);
      yield headerOf({ type: 'link', path, target });
    } else if (stats?.isFile()) yield* fileOf(inside(folder, name), path, count);
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const CHUNK = 262_144;

async function* fileOf(where: string, path: string, count: Count): AsyncGenerator<Buffer> {
  // Without O_NONBLOCK, opening a named pipe that has replaced the file would wait for a writer.
  const file = await open(where, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return;
    const { size } = stats;
    count(size, path);
    yield headerOf({ type: 'file', path, size, executable: (stats.mode & 0o100) !== 0 });
    for (let at = 0; at < size; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK, size - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      // It has become shorter, and its size is written already: the rest is zeros.
      yield bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
      at += bytesRead === 0 ? chunk.length : bytesRead;
    }
    yield paddingOf(size);
  } finally {
    await file.close();
  }
}
