import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Ready, WorkerMessage } from './worker.ts';
import { sumOfMetrics } from './worker-metrics.ts';

/** Several workers that answer on one port, and perhaps one that carries out tasks. */
export interface Workers {
  url: string;
  /** What people should read at the start, as sentences. */
  notes: string[];
  /** The sum of their metrics, as Prometheus reads it. */
  metrics(): Promise<string>;
  /** Replaces the workers one after the other, without losing a request. */
  restart(): Promise<void>;
  close(): Promise<void>;
  /** Rejects when ended workers cannot be replaced. */
  failed: Promise<never>;
}

/**
 * A worker that ends sooner than this is replaced after a pause: starting at once would only repeat
 * the failure.
 */
const STABLE_AFTER_MS = 5_000;
const RETRIES = 5;

/** What a worker is for: to answer requests, as this process does, or to carry out tasks. */
const DUTIES = {
  serve: process.argv.slice(2),
  work: ['work'],
};
type Duty = keyof typeof DUTIES;

/**
 * Starts `count` workers (node:cluster), copies of this process; with `work`, also one that carries
 * out tasks, whatever their number. One that ends by itself is replaced.
 * Throws when one does not start, and, with its reason, when `signal` is aborted before all have;
 * those that had started are then ended again.
 */
export async function startWorkers(
  count: number,
  { log, work, signal }: { log: Logger; work: boolean; signal: AbortSignal },
): Promise<Workers> {
  const running = new Map<Worker, Duty>();
  /** Those that need no replacement when they end. */
  const expectedToEnd = new Set<Worker>();
  let url = '';
  const notes: string[] = [];
  let closing = false;
  let fail: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  async function startOne(duty: Duty): Promise<void> {
    cluster.setupPrimary({ args: DUTIES[duty] });
    const worker = cluster.fork();
    const startedAt = Date.now();
    const { ready, notes: said } = await untilReady(worker);
    if (duty === 'serve') url = ready;
    notes.push(...said);
    running.set(worker, duty);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (closing || expectedToEnd.delete(worker)) return;
      log.error(
        { worker: worker.process.pid, duty, code, signal },
        'a worker has ended; starting another one',
      );
      const wasStable = Date.now() - startedAt >= STABLE_AFTER_MS;
      replace(duty, wasStable ? 0 : 1).catch(fail);
    });
  }

  async function replace(duty: Duty, failures: number): Promise<void> {
    if (closing) return;
    await pause(failures * 1_000);
    await startOne(duty).catch((error) => {
      if (failures >= RETRIES) throw error;
      return replace(duty, failures + 1);
    });
  }

  async function end(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    expectedToEnd.add(worker);
    const ended = once(worker, 'exit');
    worker.process.kill('SIGTERM');
    await ended;
  }

  async function close(): Promise<void> {
    closing = true;
    // Those included that have not reported yet that they are ready.
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => end(worker as Worker)));
  }

  async function restart(): Promise<void> {
    for (const [old, duty] of [...running]) {
      if (closing) return;
      if (!running.has(old)) continue; // It has ended in the meantime and was replaced.
      // If it ends while its successor starts, it needs no second one.
      expectedToEnd.add(old);
      await startOne(duty).catch(async (error) => {
        const hasEnded = !expectedToEnd.delete(old);
        if (hasEnded) await replace(duty, 1);
        throw error;
      });
      await end(old);
    }
    log.info(`${count} workers restarted`);
  }

  const duties: Duty[] = [...Array<Duty>(count).fill('serve'), ...(work ? ['work' as const] : [])];
  // Ends the worker that is waited for, too.
  const abandon = () => close().catch(() => {});
  signal.addEventListener('abort', abandon, { once: true });
  try {
    for (const duty of duties) {
      signal.throwIfAborted();
      await startOne(duty);
    }
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
  let restarting: Promise<void> = Promise.resolve();
  return {
    url,
    notes: [...new Set(notes)], // what concerns all of them is said by each
    metrics: () => sumOfMetrics([...running.keys()]),
    restart: () => {
      // After an earlier restart, even one that failed.
      restarting = restarting.catch(() => {}).then(restart);
      return restarting;
    },
    close,
    failed,
  };
}

/** What a new worker says once it is ready. Throws when it ends first. */
function untilReady(worker: Worker): Promise<Ready> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('ready' in message) resolve(message);
    });
    worker.once('exit', (code) =>
      reject(new Error(`A worker ended with status ${code} before it was ready.`)),
    );
  });
}
