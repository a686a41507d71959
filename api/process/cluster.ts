import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerMessage } from './worker.ts';
import { sumOfMetrics } from './worker-metrics.ts';

/** Several workers that answer on one port. */
export interface Workers {
  url: string;
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

/**
 * Starts `count` workers (node:cluster), copies of this process that run `runWorker`. A worker that
 * ends by itself is replaced. Throws when one does not start.
 */
export async function startWorkers(count: number, log: Logger): Promise<Workers> {
  const running = new Set<Worker>();
  /** Those that need no replacement when they end. */
  const expectedToEnd = new Set<Worker>();
  let url = '';
  let closing = false;
  let fail: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  async function startOne(): Promise<Worker> {
    const worker = cluster.fork();
    const startedAt = Date.now();
    url = await addressOf(worker);
    running.add(worker);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (closing || expectedToEnd.delete(worker)) return;
      log.error(
        { worker: worker.process.pid, code, signal },
        'a worker has ended; starting another one',
      );
      const wasStable = Date.now() - startedAt >= STABLE_AFTER_MS;
      replace(wasStable ? 0 : 1).catch(fail);
    });
    return worker;
  }

  async function replace(failures: number): Promise<void> {
    if (closing) return;
    await pause(failures * 1_000);
    await startOne().catch((error) => {
      if (failures >= RETRIES) throw error;
      return replace(failures + 1);
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
    for (const old of [...running]) {
      if (closing) return;
      if (!running.has(old)) continue; // It has ended in the meantime and was replaced.
      // If it ends while its successor starts, it needs no second one.
      expectedToEnd.add(old);
      await startOne().catch(async (error) => {
        const hasEnded = !expectedToEnd.delete(old);
        if (hasEnded) await replace(1);
        throw error;
      });
      await end(old);
    }
    log.info(`${count} workers restarted`);
  }

  try {
    for (let i = 0; i < count; i++) await startOne();
  } catch (error) {
    await close();
    throw error;
  }
  let restarting: Promise<void> = Promise.resolve();
  return {
    url,
    metrics: () => sumOfMetrics([...running]),
    restart: () => {
      // After an earlier restart, even one that failed.
      restarting = restarting.catch(() => {}).then(restart);
      return restarting;
    },
    close,
    failed,
  };
}

/** Where a new worker listens, once it does. Throws when it ends first. */
function addressOf(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('ready' in message) resolve(message.ready);
    });
    worker.once('exit', (code) =>
      reject(new Error(`A worker ended with status ${code} before it was ready.`)),
    );
  });
}
