import { openThread } from '../../threads/thread.ts';
import { PodError } from '../pod.ts';
import { errorOf } from './error-of.ts';
import { isRemoved } from './remove-tree.ts';

export interface Removal {
  path: string;
  /** Milliseconds. */
  within: number;
  /** Shared with the thread: not 0 once it is to stop. */
  stop: Int32Array<SharedArrayBuffer>;
}

/** Whether nothing is left by then, or why the rest cannot be removed. */
export type Removed = boolean | { code: string | undefined; message: string };

const WITHIN_MS = 600_000;
/** A tree of some hundred files is gone by then. */
const HERE_MS = 250;
/** After which others have their turn in the thread. */
const TURN_MS = 1_000;

const thread = openThread<Removal, Removed>(
  new URL('./remove-tree-thread.ts', import.meta.url),
  // One step may take long: that of a file of many gigabytes.
  { name: 'removals', timeout: 120_000, idle: 5_000, memoryMb: 64 },
);

interface Options {
  /** Milliseconds. */
  within?: number;
  /** Milliseconds until the thread takes over, which costs some memory. */
  here?: number;
  signal?: AbortSignal | undefined;
}

/**
 * As `removeTree`, of what may have many files, and throws as it does. Most of these are removed in a
 * thread that waits for each call to the file system: that takes less processor time, and none of
 * the one in which everything else happens. Once `signal` is aborted, it removes no more than what
 * it looks at in that moment.
 */
export async function removeLargeTree(
  path: string,
  { within = WITHIN_MS, here = HERE_MS, signal }: Options = {},
): Promise<void> {
  const end = performance.now() + within;
  if (here > 0 && (await isRemoved(path, { within: Math.min(here, within), signal }))) return;
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const onAbort = () => Atomics.store(stop, 0, 1);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    while (performance.now() < end) {
      const work = { path, within: TURN_MS, stop };
      const removed = await thread.run(work, { parties: [path], signal });
      if (removed === true) return;
      if (removed !== false) throw errorOf(Object.assign(new Error(), removed));
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  throw new PodError('unavailable', `${path} was not removed within ${within / 1_000} s`);
}
