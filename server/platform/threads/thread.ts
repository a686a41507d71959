import { once } from 'node:events';
import { keptThread, type ThreadOptions } from './kept-thread.ts';
import { orAborted } from './or-aborted.ts';
import { createTurns } from './turns.ts';

/**
 * A thread of its own for work that would keep everything else of the process waiting. Pieces of
 * work are done one after another.
 */
interface Thread<Work, Result> {
  /**
   * Rejects with an Error when the work fails, takes too long or needs too much memory; the thread
   * is then ended, and the next piece of work gets another one.
   */
  run(work: Work, asked?: Asked): Promise<Result>;
}

interface Asked {
  /** Ids of those for whom it is, such as a workspace and a person, who take turns. */
  parties?: readonly string[] | undefined;
  /** Whoever waits no longer does, and gets its reason; work that has begun ends all the same. */
  signal?: AbortSignal | undefined;
}

interface Options extends ThreadOptions {
  /**
   * Milliseconds that a piece of work may take, from when its turn has come and a thread is there:
   * what the start of one takes is not held against its first piece of work.
   */
  timeout: number;
}

/**
 * `file` says with its first message that it is there, and answers each message with one of its own
 * (`serve`). No thread is started before there is work.
 */
export function openThread<Work, Result>(
  file: URL,
  { timeout, ...options }: Options,
): Thread<Work, Result> {
  const thread = keptThread(file, options);
  const turns = createTurns();

  async function next(work: Work): Promise<Result> {
    try {
      const { worker, ended, done } = await thread.use();
      try {
        worker.postMessage(work);
        const signal = AbortSignal.any([AbortSignal.timeout(timeout), ended]);
        const [result] = await once(worker, 'message', { signal });
        return result;
      } catch (error) {
        thread.end();
        throw error;
      } finally {
        done();
      }
    } catch (cause) {
      throw new Error(`The thread "${options.name}" did not do a piece of work.`, { cause });
    }
  }

  return {
    run: (work, { parties = [], signal } = {}) => {
      const done = turns.take(parties, async () => {
        signal?.throwIfAborted();
        return next(work);
      });
      return signal === undefined ? done : orAborted(done, signal);
    },
  };
}
