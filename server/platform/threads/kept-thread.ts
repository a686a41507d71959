import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  name: string;
  /** Milliseconds for which the thread waits for the next piece of work. */
  idle?: number;
  memoryMb: number;
}

/** A thread that somebody uses. It keeps the process from ending meanwhile. */
interface Use {
  worker: Worker;
  /** Aborts when the thread has ended, for whatever reason. */
  ended: AbortSignal;
  /** To be called once. */
  done(): void;
}

interface KeptThread {
  /** Resolves once it is there; rejects where it does not start. */
  use(): Promise<Use>;
  /** Ends it under whoever uses it. Whoever comes next gets another one. */
  end(): void;
}

interface Running extends Omit<Use, 'done'> {
  loaded: Promise<unknown>;
  users: number;
}

/** What the start of a thread takes on a busy machine. */
const START_WITHIN_MS = 60_000;

/**
 * A thread that is started when it is first used, and ended when nobody has used it for a while.
 * `file` says with its first message that it is there.
 */
export function keptThread(
  file: URL,
  { name, idle = 60_000, memoryMb }: ThreadOptions,
): KeptThread {
  let kept: Running | undefined;
  let leaving: NodeJS.Timeout | undefined;

  function end(): void {
    kept?.worker.terminate();
    kept = undefined;
  }

  function start(): Running {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    const worker = new Worker(file, { name, env: {}, execArgv: [], resourceLimits });
    let cause: unknown;
    // Whoever waits for it gets the error too; without a listener it would end the process.
    worker.on('error', (error) => {
      cause = error;
    });
    const gone = new AbortController();
    const ended = gone.signal;
    worker.once('exit', (code) => {
      if (kept?.worker === worker) kept = undefined;
      gone.abort(new Error(`it has ended with the code ${code}`, { cause }));
    });
    const signal = AbortSignal.any([AbortSignal.timeout(START_WITHIN_MS), ended]);
    return { worker, ended, loaded: once(worker, 'message', { signal }), users: 0 };
  }

  return {
    end,
    async use() {
      clearTimeout(leaving);
      // It may have ended by itself just after it was used.
      kept ??= start();
      const running = kept;
      const { worker, ended, loaded } = running;
      running.users += 1;
      worker.ref();
      const done = () => {
        running.users -= 1;
        if (running.users > 0) return;
        worker.unref();
        if (kept === running) leaving = setTimeout(end, idle).unref();
      };
      try {
        await loaded;
      } catch (error) {
        if (kept === running) end();
        done();
        throw error;
      }
      return { worker, ended, done };
    },
  };
}
