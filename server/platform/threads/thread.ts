import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
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

interface Options {
  name: string;
  /** Milliseconds that a piece of work may take, from when its turn has come. */
  timeout: number;
  /** Milliseconds for which the thread waits for the next piece of work. */
  idle?: number;
  memoryMb: number;
}

/**
 * `file` answers each message with one message of its own (`serve`). No thread is started before
 * there is work.
 */
export function openThread<Work, Result>(
  file: URL,
  { name, timeout, idle = 60_000, memoryMb }: Options,
): Thread<Work, Result> {
  let thread: Worker | undefined;
  /** Aborts when the thread has ended, for whatever reason. */
  let ended: AbortSignal;
  let leaving: NodeJS.Timeout | undefined;
  const turns = createTurns();

  function end(): void {
    thread?.terminate();
    thread = undefined;
  }

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    const started = new Worker(file, { name, env: {}, execArgv: [], resourceLimits });
    // Whoever waits for it gets the error too; without a listener it would end the process.
    started.on('error', () => {});
    const gone = new AbortController();
    ended = gone.signal;
    started.once('exit', (code) => {
      if (thread === started) thread = undefined;
      gone.abort(new Error(`it has ended with the code ${code}`));
    });
    return started;
  }

  async function next(work: Work): Promise<Result> {
    clearTimeout(leaving);
    // It may have ended by itself just after it has answered.
    const worker = thread ?? start();
    thread = worker;
    worker.ref();
    try {
      worker.postMessage(work);
      const signal = AbortSignal.any([AbortSignal.timeout(timeout), ended]);
      const [result] = await once(worker, 'message', { signal });
      worker.unref();
      leaving = setTimeout(end, idle).unref();
      return result as Result;
    } catch (cause) {
      end();
      throw new Error(`The thread "${name}" did not do a piece of work.`, { cause });
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
