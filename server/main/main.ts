import cluster from 'node:cluster';
import { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import { serveMetrics } from '../telemetry/metrics.ts';
import { startWorkers, type Workers } from './cluster.ts';
import { connectAndLog, logWarnings, serverLog } from './log.ts';
import type { Server, StartOptions } from './start.ts';
import { Signalled, signalled, throwWhenEnded, unlessAborted, untilAborted } from './until.ts';
import { runInGroup } from './worker.ts';

/** The two ways to serve: in this process alone, or with several workers. */

/** Called once the server answers. */
type Announce = (
  server: Pick<Server, 'url' | 'metrics' | 'notes' | 'db' | 'embedded'>,
) => Promise<void>;

interface ServeOptions {
  work: boolean;
  /** Resolves once the dashboard can be served; the start fails with it. */
  dashboard?: Promise<void> | undefined;
}

/**
 * Serves until SIGINT, SIGTERM or SIGHUP (the end of its terminal); with `work`, it carries out
 * tasks in the same process. Throws Signalled when the signal ended the start, and an error when
 * the embedded PostgreSQL ends unexpectedly.
 */
export async function serve(
  config: Config,
  announce: Announce,
  { work, dashboard }: ServeOptions,
): Promise<void> {
  const signal = signalled('SIGINT', 'SIGTERM', 'SIGHUP');
  const log = serverLog(config);
  logWarnings(config, log);
  const tasks = work ? 'here' : undefined;
  const { start } = await starting();
  const server = await start(config, { log, tasks, dashboard, signal });
  try {
    await announce(server);
    await Promise.race([untilAborted(signal), throwWhenEnded(server.embedded)]);
  } finally {
    await server.close();
  }
}

/**
 * Serves with `count` workers on one port until SIGINT or SIGTERM; with `work`, one more process
 * carries out tasks. Once they have started, SIGHUP replaces them one after the other; before, it
 * ends the start as the others do. This first process neither answers nor works. It alone starts
 * the embedded PostgreSQL, watches it, and ends every worker when it is gone: a worker that started
 * another one would answer from a place of its own.
 */
export async function serveWorkers(
  config: Config,
  announce: Announce,
  { count, work, dashboard }: ServeOptions & { count: number },
): Promise<void> {
  const stop = signalled('SIGINT', 'SIGTERM');
  if (cluster.isWorker) return serveInGroup(config, stop, work ? 'beside' : undefined);
  const hangUp = new AbortController();
  let onHangUp = () => hangUp.abort(new Signalled('SIGHUP'));
  process.on('SIGHUP', () => onHangUp());
  const signal = AbortSignal.any([stop, hangUp.signal]);
  const log = serverLog(config);
  logWarnings(config, log);
  const { db, embedded, close } = await connectAndLog(config, log, { signal });
  let workers: Workers | undefined;
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    const sum = {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      metrics: async () => workers?.metrics() ?? '',
    };
    if (config.metrics.port !== undefined) metrics = await serveMetrics(sum, config.metrics);
    await unlessAborted(dashboard ?? Promise.resolve(), signal);
    workers = await startWorkers(count, { log, work, signal });
    const { url, notes, restart } = workers;
    onHangUp = () =>
      restart().catch((err) => log.error({ err }, 'the workers could not be restarted'));
    signal.throwIfAborted();
    await announce({ url, notes, metrics: metrics?.url, db, embedded });
    await Promise.race([untilAborted(stop), workers.failed, throwWhenEnded(embedded)]);
  } finally {
    await workers?.close();
    await metrics?.close();
    await close();
  }
}

/** What the first of several processes does without: it is half of the memory that one takes. */
const starting = () => import('./start.ts');

/**
 * As one of several processes that answer requests, until `stop` is aborted or the first process is
 * gone. It uses the embedded PostgreSQL that the first process started and never starts one.
 */
const serveInGroup = (
  config: Config,
  stop: AbortSignal,
  tasks: StartOptions['tasks'],
): Promise<void> =>
  runInGroup(stop, async (signal) => {
    const { start } = await starting();
    return start(config, { embedded: 'join', servesMetrics: false, tasks, signal });
  });
