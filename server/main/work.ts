import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { followMode } from '../billing/mode/follow-mode.ts';
import type { Config } from '../platform/config/config.ts';
import { openFileStore } from '../platform/files/open-file-store.ts';
import { type Check, serveMetrics } from '../telemetry/metrics.ts';
import { closeInReverse } from './closing.ts';
import { connectAndLog, logWarnings, observers, serverLog } from './log.ts';
import type { Connected, EmbeddedUse } from './open-database.ts';
import { openEvents } from './open-events.ts';
import { openProcessMetrics } from './open-metrics.ts';
import { openTracing } from './open-tracing.ts';
import { serveTasks } from './serve-tasks.ts';
import { signalled, throwWhenEnded, unlessAborted, untilAborted } from './until.ts';
import { runInGroup } from './worker.ts';
import { workerHealth } from './worker-health.ts';

/** What is told of a worker at its start; `notes` are sentences that people should read. */
interface Started extends Pick<Connected, 'embedded'> {
  metrics: string | undefined;
  notes: string[];
}

/**
 * Carries out tasks, beside the servers of the same database, until SIGINT, SIGTERM or SIGHUP (the
 * end of its terminal). Then it claims no more, gives running turns 20 s, and leaves what has not
 * ended to the other workers. Throws Signalled when the signal ended the start, an error when the
 * embedded PostgreSQL ends unexpectedly, and one with a sentence when no agent can work here.
 */
export async function work(
  config: Config,
  announce: (started: Started) => Promise<void>,
): Promise<void> {
  if (cluster.isWorker) return workInGroup(config);
  const signal = signalled('SIGINT', 'SIGTERM', 'SIGHUP');
  const log = serverLog(config);
  logWarnings(config, log);
  const confined = { ...config, pods: withoutServer(config.pods) };
  const mine = { log, embedded: 'share', mustWork: true, signal } as const;
  const working = await startWorking(confined, mine);
  const { registry, embedded, checks, notes } = working;
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    if (registry !== undefined) metrics = await serveMetrics(registry, config.metrics, checks);
    await announce({ embedded, metrics: metrics?.url, notes });
    await Promise.race([untilAborted(signal), throwWhenEnded(embedded)]);
  } finally {
    await working.close();
    await metrics?.close();
  }
}

/** As one of the processes of `serve --workers`, which replaces it when it ends. */
function workInGroup(config: Config): Promise<void> {
  const log = serverLog(config);
  return runInGroup(signalled('SIGINT', 'SIGTERM'), (signal) =>
    startWorking(config, { log, embedded: 'join', mustWork: false, signal }),
  );
}

/** It does not know who may sign up with the servers, nor who reaches them. */
const withoutServer = (pods: Config['pods']): Config['pods'] =>
  pods.sandbox === 'preferred'
    ? {
        ...pods,
        sandbox: 'required',
        because: 'this process does not know who may sign up with the server',
      }
    : pods;

/** A process that only carries out tasks. */
interface Working {
  embedded: Connected['embedded'];
  registry: Registry | undefined;
  /** What says how it is, by paths of HTTP. */
  checks: Record<string, Check>;
  /** What people should read at the start, as sentences. */
  notes: string[];
  /** The checks say at once that it ends. */
  close(): Promise<void>;
}

interface StartWorking {
  log: Logger;
  embedded: EmbeddedUse;
  /** Whether it ends when no agent can work here. */
  mustWork: boolean;
  /** Ends the start, which throws its reason. */
  signal: AbortSignal;
}

/** Starts everything that tasks need. When one step fails, what had started is closed again. */
async function startWorking(
  config: Config,
  { log, embedded: use, mustWork, signal }: StartWorking,
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
    const store = await openFileStore(config.files.folder, config.files.s3, db);
    closing.push(store.close);
    signal.throwIfAborted();
    const trace = tracing?.beginWork;
    const need = { db, events: events.log, store, log, registry, trace };
    const tasks = serveTasks(config, need, { mustWork });
    closing.push(tasks.close);
    await unlessAborted(tasks.begun, signal);
    void embedded?.ended().then(tasks.abandon);
    const { migration } = connected;
    const { fault } = tasks;
    const health = { db, log: events.log, migration, draining: () => draining, fault };
    return { embedded, registry, checks: workerHealth(health), notes: tasks.notes(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
