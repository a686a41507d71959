import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { readlink } from 'node:fs/promises';
import type { TreeBounds } from '../pod.ts';
import { counter, isMoved, MOST_DEPTH, staysInside } from './bounds.ts';
import { type Disk, SHARED } from './disk.ts';
import { END, headerOf, paddingOf, type TreeEntry } from './tar.ts';
import { type Found, WALK, walkTree } from './walk-tree.ts';

/** What is read at once, and files that are read before their turn. */
const CHUNK = 262_144;
const AHEAD = 16;

/**
 * A folder as a tar archive: its folders, files and those links that stay inside. Nothing is
 * followed, and what is neither of these is left out, as is everything that changes meanwhile.
 * Throws `too_large` where it exceeds the bounds.
 */
export async function* packTree(
  root: string,
  bounds: TreeBounds,
  disk: Disk = SHARED,
): AsyncGenerator<Buffer> {
  const count = counter(bounds);
  const walk = { ...WALK, maxDepth: MOST_DEPTH, within: WITHIN_MS };
  const ahead: Promise<Begun | undefined>[] = [];
  // What is begun is found by way of its folder.
  const leaving = () => Promise.allSettled(ahead);
  const next = async function* () {
    const begun = await ahead[0];
    ahead.shift();
    if (begun === undefined) return;
    try {
      const { entry } = begun;
      count(entry.type === 'file' ? entry.size : 0, entry.path);
      yield begun.bytes ?? headerOf(entry);
      if (begun.file !== undefined) yield* restOf(disk, begun.file, begun.size);
    } finally {
      if (begun.file !== undefined) await disk.close(begun.file);
    }
  };
  try {
    for await (const found of walkTree(root, walk, { enters: isMoved, leaving })) {
      ahead.push(begin(disk, found));
      ahead.at(-1)?.catch(() => undefined);
      if (ahead.length === AHEAD) yield* next();
    }
    while (ahead.length > 0) yield* next();
  } finally {
    for (const begun of await Promise.allSettled(ahead))
      if (begun.status === 'fulfilled' && begun.value?.file !== undefined)
        await disk.close(begun.value.file);
  }
  yield END;
}

/** Whoever reads the archive may be slow. */
const WITHIN_MS = 600_000;

/** An entry of the archive. */
interface Begun {
  entry: TreeEntry;
  size: number;
  /** With its content, where that is small. */
  bytes?: Buffer;
  /** The descriptor of a file that is large. */
  file?: number;
}

/** Undefined for what is left out. */
async function begin(disk: Disk, found: Found): Promise<Begun | undefined> {
  const name = Buffer.from(found.path, 'latin1');
  if (!isUtf8(name)) return undefined;
  const path = name.toString();
  if (!isMoved(path)) return undefined;
  if (found.type === 'folder') return { entry: { type: 'folder', path }, size: 0 };
  if (found.type === 'file') return beginFile(disk, found.where, path);
  if (found.type !== 'link') return undefined;
  const target = await readlink(found.where).catch(() => '');
  return staysInside(path, target) ? { entry: { type: 'link', path, target }, size: 0 } : undefined;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

async function beginFile(disk: Disk, where: Buffer, path: string): Promise<Begun | undefined> {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe that has replaced it would wait for a writer.
    file = await disk.open(where, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  let keeps = false;
  try {
    const stats = await disk.stat(file);
    if (!stats.isFile()) return undefined;
    const { size, mode } = stats;
    const entry: TreeEntry = { type: 'file', path, size, executable: (mode & 0o100) !== 0 };
    keeps = size > CHUNK;
    if (keeps) return { entry, size, file };
    const header = headerOf(entry);
    const bytes = Buffer.alloc(header.length + size + paddingOf(size).length);
    header.copy(bytes);
    // It may have become shorter, and its size is written already: the rest is zeros.
    for (let at = 0; at < size; ) {
      const read = await disk.read(file, bytes, header.length + at, size - at, at);
      if (read === 0) break;
      at += read;
    }
    return { entry, size, bytes };
  } finally {
    if (!keeps) await disk.close(file);
  }
}

/** The content of a large file, and what follows it. */
async function* restOf(disk: Disk, file: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = Buffer.alloc(Math.min(CHUNK, size - at));
    const read = await disk.read(file, chunk, 0, chunk.length, at);
    // As above.
    yield read === 0 ? chunk : chunk.subarray(0, read);
    at += read === 0 ? chunk.length : read;
  }
  yield paddingOf(size);
}
