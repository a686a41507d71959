import type { Worker } from 'node:cluster';
import { on } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { COUNT, type WorkerMessage } from './worker.ts';

const ANSWER_WITHIN_MS = 2_000;

/**
 * The sum of the workers' metrics. A worker that does not answer in time, because it is ending, is
 * left out.
 */
export async function sumOfMetrics(workers: Worker[]): Promise<string> {
  const all = await Promise.all(workers.map((worker) => metricsOf(worker).catch(() => [])));
  return AggregatorRegistry.aggregate(all.filter((one) => one.length > 0)).metrics();
}

async function metricsOf(worker: Worker): Promise<object[]> {
  if (!worker.isConnected()) return [];
  const messages = on(worker, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  worker.send(COUNT);
  for await (const [message] of messages) {
    if ('counted' in (message as WorkerMessage)) return message.counted;
  }
  return [];
}
