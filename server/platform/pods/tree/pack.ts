import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import type { TreeBounds } from '../pod.ts';
import { counter, isMoved, MOST_DEPTH, staysInside } from './bounds.ts';
import { END, headerOf, paddingOf } from './tar.ts';
import { WALK, walkTree } from './walk-tree.ts';

/**
 * A folder as a tar archive: its folders, files and those links that stay inside. Nothing is
 * followed, and what is neither of these is left out, as is everything that changes meanwhile.
 * Throws `too_large` where it exceeds the bounds.
 */
export async function* packTree(root: string, bounds: TreeBounds): AsyncGenerator<Buffer> {
  const count = counter(bounds);
  const walk = { ...WALK, maxDepth: MOST_DEPTH, within: WITHIN_MS };
  for await (const found of walkTree(root, walk, { enters: isMoved })) {
    if (!isUtf8(Buffer.from(found.path, 'latin1'))) continue;
    const path = Buffer.from(found.path, 'latin1').toString();
    if (!isMoved(path)) continue;
    if (found.type === 'folder') {
      count(0, path);
      yield headerOf({ type: 'folder', path });
    } else if (found.type === 'link') {
      const target = await readlink(found.where).catch(() => '');
      if (!staysInside(path, target)) continue;
      count(0, path);
      yield headerOf({ type: 'link', path, target });
    } else if (found.type === 'file') yield* fileOf(found.where, path, count);
  }
  yield END;
}

/** Whoever reads the archive may be slow. */
const WITHIN_MS = 600_000;
type Count = ReturnType<typeof counter>;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const CHUNK = 262_144;

async function* fileOf(where: Buffer, path: string, count: Count): AsyncGenerator<Buffer> {
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
