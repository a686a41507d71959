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
   * is still answered as an error; a later failure breaks the connection, so that no one
   * mistakes a part for the whole. Errors: 503 export_busy.
   */
  start(userId: string, chunks: AsyncIterable<string>): Promise<Readable>;
  /** How many run, each until it has given everything back that it used. */
  running(): number;
  /** Breaks off all that still run. */
  close(): void;
}

/** A reader that has taken nothing for this long gives way when all slots are taken. */
const STALLED_MS = 2_000;

interface Running {
  /** Since when the next chunk waits for the reader, in milliseconds; 0 while it is being made. */
  waitingSince: number;
  ending: AbortController;
}

/**
 * `limit`: at once, each of another user. `life`: milliseconds until an export is broken off. Where
 * all slots are taken, the reader that stalled first is cut, so that idle readers block no one.
 */
export function createExports({ limit = 8, life = 600_000 } = {}): Exports {
  const users = new Map<string, Running>();
  const ending = new AbortController();

  function hasRoom(): boolean {
    if (users.size < limit) return true;
    const [stalled] = [...users]
      .filter(([, { waitingSince }]) => waitingSince > 0 && Date.now() - waitingSince >= STALLED_MS)
      .sort(([, a], [, b]) => a.waitingSince - b.waitingSince);
    if (stalled === undefined) return false;
    users.delete(stalled[0]);
    stalled[1].ending.abort();
    return true;
  }

  return {
    start: async (userId, chunks) => {
      if (ending.signal.aborted || users.has(userId) || !hasRoom()) throw exportBusy();
      const running: Running = { waitingSince: 0, ending: new AbortController() };
      users.set(userId, running);
      const leave = () => {
        if (users.get(userId) === running) users.delete(userId);
      };
      try {
        const body = Readable.from(await begun(chunks, running), { objectMode: false });
        body.once('close', leave);
        const signals = [ending.signal, running.ending.signal, AbortSignal.timeout(life)];
        return addAbortSignal(AbortSignal.any(signals), body);
      } catch (error) {
        leave();
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
async function begun(
  chunks: AsyncIterable<string>,
  running: Running,
): Promise<AsyncIterable<string>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const next = async () => {
    running.waitingSince = 0;
    const chunk = await iterator.next();
    running.waitingSince = Date.now();
    return chunk;
  };
  let first: IteratorResult<string> | undefined = await next();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (first === undefined) return next();
        const chunk = first;
        first = undefined;
        return chunk;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
