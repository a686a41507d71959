import cluster, { type Worker } from 'node:cluster';
import { on, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { COUNT, type WorkerMessage } from './worker.ts';

/** Several processes that answer on one port. */
export interface Workers {
  url: string;
  /** The sum of what they count. */
  metrics(): Promise<string>;
  /** Puts a new process in the place of each, one after the other, without losing a request. */
  restart(): Promise<void>;
  close(): Promise<void>;
  /** Settles when they cannot be kept alive. */
  failed: Promise<never>;
}

// A process that ends sooner than this was never well: starting it over and over would hide why.
const SOON_MS = 5_000;
const RETRIES = 5;

/**
 * Starts `count` copies of this process (node:cluster), which listen on one port; one that ends unasked is started
 * again. Throws when one does not start. A copy knows itself by `cluster.isWorker`, and calls `workerReady`.
 */
export async function startWorkers(count: number, log: Logger): Promise<Workers> {
  const standing = new Set<Worker>();
  const leaving = new Set<Worker>();
  let url = '';
  let closing = false;
  let fail: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  async function fork(): Promise<Worker> {
    const worker = cluster.fork();
    const born = Date.now();
    url = await new Promise<string>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if ('ready' in message) resolve(message.ready);
      });
      worker.once('exit', (code) =>
        reject(new Error(`A worker ended with status ${code} before it was ready.`)),
      );
    });
    standing.add(worker);
    worker.once('exit', (code, signal) => {
      standing.delete(worker);
      if (closing || leaving.delete(worker)) return;
      log.error(
        { worker: worker.process.pid, code, signal },
        'a worker has ended; starting another one',
      );
      replace(Date.now() - born < SOON_MS ? 1 : 0).catch(fail);
    });
    return worker;
  }

  async function replace(failures: number): Promise<void> {
    if (closing) return;
    await pause(failures * 1_000);
    await fork().catch((error) => {
      if (failures >= RETRIES) throw error;
      return replace(failures + 1);
    });
  }

  async function end(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    leaving.add(worker);
    const ended = once(worker, 'exit');
    worker.process.kill('SIGTERM');
    await ended;
  }

  async function close(): Promise<void> {
    closing = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => end(worker as Worker)));
  }

  try {
    for (let i = 0; i < count; i++) await fork();
  } catch (error) {
    await close();
    throw error;
  }
  let restarting: Promise<void> = Promise.resolve();
  return {
    url,
    metrics: () => sumUp([...standing]),
    restart: () => {
      // One that failed does not stand in the way of the next.
      restarting = restarting
        .catch(() => {})
        .then(async () => {
          for (const old of [...standing]) {
            if (closing) return;
            if (!standing.has(old)) continue; // it ended meanwhile, and was replaced
            // Should it end while its successor starts, it has one already.
            leaving.add(old);
            await fork().catch(async (error) => {
              if (!leaving.delete(old)) await replace(1);
              throw error;
            });
            await end(old);
          }
          log.info(`${count} workers restarted`);
        });
      return restarting;
    },
    close,
    failed,
  };
}

const ANSWER_WITHIN_MS = 2_000;

/** What these count, together; one that does not answer, because it ends just now, is left out. */
async function sumUp(workers: Worker[]): Promise<string> {
  const counted = await Promise.all(
    workers.map(async (worker) => {
      const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const answer = (async () => {
        for await (const [message] of on(worker, 'message', { signal: late })) {
          if ('counted' in (message as WorkerMessage))
            return (message as { counted: object[] }).counted;
        }
        return [];
      })();
      if (worker.isConnected()) worker.send(COUNT);
      return answer.catch(() => []);
    }),
  );
  return AggregatorRegistry.aggregate(counted.filter((one) => one.length > 0)).metrics();
}
