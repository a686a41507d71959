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
  /** Milliseconds that a piece of work may take, from when its turn has come and a thread is there. */
  timeout: number;
  /** Milliseconds for which the thread waits for the next piece of work. */
  idle?: number;
  memoryMb: number;
}

/** What the start of a thread takes on a busy machine is not held against its first piece of work. */
const START_WITHIN_MS = 60_000;

/**
 * `file` says with its first message that it is there, and answers each message with one of its own
 * (`serve`). No thread is started before there is work.
 */
export function openThread<Work, Result>(
  file: URL,
  { name, timeout, idle = 60_000, memoryMb }: Options,
): Thread<Work, Result> {
  let thread: Worker | undefined;
  let loaded: Promise<unknown>;
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
    loaded = answerOf(started, START_WITHIN_MS);
    return started;
  }

  const answerOf = async (worker: Worker, within: number): Promise<unknown> => {
    const signal = AbortSignal.any([AbortSignal.timeout(within), ended]);
    const [answer] = await once(worker, 'message', { signal });
    return answer;
  };

  async function next(work: Work): Promise<Result> {
    clearTimeout(leaving);
    // It may have ended by itself just after it has answered.
    const worker = thread ?? start();
    thread = worker;
    worker.ref();
    try {
      await loaded;
      worker.postMessage(work);
      const result = (await answerOf(worker, timeout)) as Result;
      worker.unref();
      leaving = setTimeout(end, idle).unref();
      return result;
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
