import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { followMode } from '../billing/mode/follow-mode.ts';
import type { Config } from '../config.ts';
import { openFileStore } from '../files/open-file-store.ts';
import { type Check, serveMetrics } from '../telemetry/metrics.ts';
import { closeInReverse } from './closing.ts';
import { connectAndLog, logWarnings, observers, serverLog } from './log.ts';
import type { Connected, EmbeddedUse } from './open-database.ts';
import { openEvents } from './open-events.ts';
import { openProcessMetrics } from './open-metrics.ts';
import { openTracing } from './open-tracing.ts';
import { serveTasks } from './serve-tasks.ts';
import { startTasks } from './start-tasks.ts';
import { signalled, throwWhenEnded, untilAborted } from './until.ts';
import { runInGroup } from './worker.ts';
import { workerHealth } from './worker-health.ts';

/**
 * Carries out tasks, beside the servers of the same database, until SIGINT, SIGTERM or SIGHUP (the
 * end of its terminal). Then it claims no more, gives running turns 20 s, and leaves what has not
 * ended to the other workers. Throws Signalled when the signal ended the start, an error when the
 * embedded PostgreSQL ends unexpectedly, and one with a sentence when no agent can work here.
 */
export async function work(
  config: Config,
  announce: (started: Pick<Connected, 'embedded'> & { metrics: string | undefined }) => void,
): Promise<void> {
  if (cluster.isWorker) return workInGroup(config);
  const signal = signalled('SIGINT', 'SIGTERM', 'SIGHUP');
  const log = serverLog(config);
  logWarnings(config, log);
  const working = await startWorking(config, { log, embedded: 'share', begin: startTasks, signal });
  const { registry, embedded, checks } = working;
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    if (registry !== undefined) metrics = await serveMetrics(registry, config.metrics, checks);
    announce({ embedded, metrics: metrics?.url });
    await Promise.race([untilAborted(signal), throwWhenEnded(embedded)]);
  } finally {
    await working.close();
    await metrics?.close();
  }
}

/** As one of the processes of `serve --workers`, which replaces it when it ends. */
function workInGroup(config: Config): Promise<void> {
  const log = serverLog(config);
  const begin = serveTasks;
  return runInGroup(signalled('SIGINT', 'SIGTERM'), (signal) =>
    startWorking(config, { log, embedded: 'join', begin, signal }),
  );
}

/** A process that only carries out tasks. */
export interface Working {
  embedded: Connected['embedded'];
  registry: Registry | undefined;
  /** What says how it is, by paths of HTTP. */
  checks: Record<string, Check>;
  /** The checks say at once that it ends. */
  close(): Promise<void>;
}

interface StartWorking {
  log: Logger;
  embedded: EmbeddedUse;
  begin: typeof serveTasks | typeof startTasks;
  /** Ends the start, which throws its reason. */
  signal: AbortSignal;
}

/** Starts everything that tasks need. When one step fails, what had started is closed again. */
export async function startWorking(
  config: Config,
  { log, embedded: use, begin, signal }: StartWorking,
): Promise<Working> {
  const connected = await connectAndLog(config, log, { embedded: use, signal });
  const { db, embedded } = connected;
  const closing = [connected.close];
  let draining = false;
  const close = () => {
    draining = true;
    return closeInReverse(closing);
  };
  try {
    await followMode(db, config);
    const registry = openProcessMetrics(config, db);
    const tracing = await openTracing(config, log);
    if (tracing !== undefined) closing.push(tracing.close);
    const events = await openEvents(config, connected.url, {
      ...observers(config, log),
      registry,
      signal,
    });
    closing.push(events.close);
    const store = await openFileStore(config.files.folder, config.files.s3);
    closing.push(store.close);
    signal.throwIfAborted();
    const trace = tracing?.beginWork;
    const tasks = await begin(config, { db, events: events.log, store, log, registry, trace });
    closing.push(tasks.close);
    signal.throwIfAborted();
    void embedded?.ended().then(tasks.abandon);
    const { migration } = connected;
    const health = { db, log: events.log, migration, draining: () => draining };
    return { embedded, registry, checks: workerHealth(health), close };
  } catch (error) {
    await close();
    throw error;
  }
}
