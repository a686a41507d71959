import { orAborted } from '../../threads/or-aborted.ts';
import { openStreams } from '../../threads/streams.ts';
import type { TreeBounds } from '../pod.ts';
import { isMoved, MOST_DEPTH } from './bounds.ts';
import { errorOf } from './error-of.ts';
import { packTree } from './pack.ts';
import { unpackTree } from './unpack.ts';
import { WALK, walkTree } from './walk-tree.ts';

/**
 * Packing and unpacking for the server, of trees that may have many files; what runs in a pod has no
 * threads. Those that have many are left to a thread that waits for each call to the file system:
 * that takes half of the processor time, and hardly any of the thread in which everything else
 * happens. What is small is done by the time at which a thread would have started.
 *
 * One thread for all trees, which take turns there: one that waits for the network keeps no other
 * from going on, as it would by holding one of a few threads, and all of them together take no more
 * than one processor from everything else.
 */

/** What the thread is told. `pack`: rather than unpack. */
export interface Move {
  pack: boolean;
  root: string;
  bounds: TreeBounds;
}

const thread = openStreams<Move>(new URL('./move-tree-thread.ts', import.meta.url), {
  name: 'work trees',
  idle: 5_000,
  memoryMb: 128,
});

/** Of what is done without the thread: files, folders and links of a tree, bytes of an archive. */
const SMALL = { entries: 1_000, bytes: 2_097_152 };

interface Options {
  signal?: AbortSignal | undefined;
  /** What is small, instead. */
  small?: { entries: number; bytes: number };
}

/** As `packTree`. Throws the reason of `signal` once that is aborted. */
export async function* packLargeTree(
  root: string,
  bounds: TreeBounds,
  { signal, small = SMALL }: Options = {},
): AsyncGenerator<Uint8Array> {
  const here = await hasAtMost(small.entries, root, signal);
  try {
    const archive = here
      ? packTree(root, bounds)
      : thread.open({ pack: true, root, bounds }, { signal });
    for await (const part of archive) {
      yield part;
      signal?.throwIfAborted();
    }
  } catch (error) {
    throw errorOf(error);
  }
}

async function hasAtMost(
  most: number,
  root: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let entries = 0;
  const walk = { ...WALK, maxDepth: MOST_DEPTH };
  for await (const _ of walkTree(root, walk, { signal, enters: isMoved })) {
    entries += 1;
    if (entries > most) return false;
  }
  return true;
}

/**
 * As `unpackTree`. Throws the reason of `signal` once that is aborted, whatever the archive waits
 * for. Nothing more is written to the folder when this has ended, whichever way.
 */
export async function unpackLargeTree(
  root: string,
  archive: AsyncIterable<Uint8Array>,
  bounds: TreeBounds,
  { signal, small = SMALL }: Options = {},
): Promise<void> {
  const chunks = archive[Symbol.asyncIterator]();
  const { taken, whole } = await beginningOf(chunks, small.bytes, signal);
  const input = resumed(taken, chunks);
  if (whole) return unpackTree(root, input, bounds);
  try {
    for await (const _ of thread.open({ pack: false, root, bounds }, { input, signal }));
  } catch (error) {
    throw errorOf(error);
  }
}

async function beginningOf(
  chunks: AsyncIterator<Uint8Array>,
  most: number,
  signal: AbortSignal | undefined,
): Promise<{ taken: Uint8Array[]; whole: boolean }> {
  const taken: Uint8Array[] = [];
  try {
    for (let length = 0; length <= most; ) {
      signal?.throwIfAborted();
      const next = chunks.next();
      const { value, done } = await (signal === undefined ? next : orAborted(next, signal));
      if (done === true) return { taken, whole: true };
      taken.push(value);
      length += value.length;
    }
  } catch (error) {
    // What it waits for may never come.
    chunks.return?.().catch(() => undefined);
    throw error;
  }
  return { taken, whole: false };
}

/** An archive of which some was taken already. To end it ends that archive, also before its start. */
const resumed = (
  taken: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({
    async next() {
      const value = taken.shift();
      return value === undefined ? rest.next() : { value, done: false };
    },
    async return() {
      await rest.return?.();
      return { value: undefined, done: true };
    },
  }),
});
