import { addAbortSignal, Readable } from 'node:stream';
import { apiError } from './errors.ts';

/** Every slot is taken, or the caller has one already. */
export const exportBusy = apiError(
  503,
  'export_busy',
  'Too many exports are running, or one of yours is: wait until it ends, then try again',
  { 'retry-after': '10' },
);

/**
 * The exports that a process sends at once. They hold no request slot, because an export takes as
 * long as its reader likes, up to a limit; what is left of it after that is not sent.
 */
export interface Exports {
  /**
   * The body of an answer. Its first chunk is made before this resolves, so that what fails at once
   * is still answered as an error; a later failure breaks the connection, so that nobody takes a
   * part for the whole. Errors: 503 export_busy.
   */
  start(userId: string, chunks: AsyncIterable<string>): Promise<Readable>;
  /** How many run, each until it has given everything back that it used. */
  running(): number;
  /** Breaks off all that still run. */
  close(): void;
}

/** `limit`: at once, each of another user. `life`: milliseconds until an export is broken off. */
export function createExports({ limit = 4, life = 600_000 } = {}): Exports {
  const users = new Set<string>();
  const ending = new AbortController();
  return {
    start: async (userId, chunks) => {
      if (ending.signal.aborted || users.size >= limit || users.has(userId)) throw exportBusy();
      users.add(userId);
      try {
        const body = Readable.from(await begun(chunks), { objectMode: false });
        body.once('close', () => users.delete(userId));
        return addAbortSignal(AbortSignal.any([ending.signal, AbortSignal.timeout(life)]), body);
      } catch (error) {
        users.delete(userId);
        throw error;
      }
    },
    running: () => users.size,
    close: () => ending.abort(),
  };
}

/**
 * The same chunks, the first of which has arrived. Ending it early ends `chunks`, also before
 * anything was read: a generator around them would not be told then.
 */
async function begun(chunks: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  let taken = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (taken) return iterator.next();
        taken = true;
        return first;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
