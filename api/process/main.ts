import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import { type AppDeps, build } from '../app.ts';
import { moneyWorker } from '../billing/background.ts';
import { customerStore } from '../billing/cards/customers.ts';
import type { Processor } from '../billing/cards/processor.ts';
import { sandbox } from '../billing/cards/sandbox.ts';
import { measureMoney } from '../billing/metrics.ts';
import { topUps } from '../billing/top-ups/top-ups.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import { findEmbedded } from '../db/embedded/embedded.ts';
import { sql } from '../db/sql.ts';
import { purge } from '../http/idempotency.ts';
import { openLog } from '../telemetry/log.ts';
import { openMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { databaseTrace, traceFields, untraced } from '../telemetry/spans.ts';
import { startWorkers, type Workers, workerReady } from './cluster.ts';
import { connect } from './open-database.ts';

/** A server that answers. `url`: where. `close` finishes what runs, then ends the embedded PostgreSQL it started. */
export interface Server {
  url: string;
  db: Database;
  embedded: boolean;
  /** Where its metrics are, when they are served. */
  metrics: string | undefined;
  /** Settles when the embedded PostgreSQL has ended without being asked to. */
  orphaned: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts everything in order; what had started is closed again when a later step fails. `share` is given the metrics
 * instead of a port, when another process sums them up (api/process/cluster.ts).
 */
export async function start(
  config: Config,
  log = serverLog(config),
  share?: (metrics: Registry | undefined) => void,
): Promise<Server> {
  const { db, embedded, serverSecret, migration, close } = await connectAndTell(config, log);
  const closing: (() => Promise<void>)[] = [close];
  const closeAll = async () => {
    for (const closeOne of closing.splice(0).reverse()) await closeOne();
  };
  try {
    const metrics = config.metrics.port === undefined ? undefined : openMetrics(db);
    // Loaded only where it is wanted: without it a request costs nothing more.
    const tracing =
      config.tracing &&
      (await import('../telemetry/opentelemetry.ts')).openTracing(config.tracing, log);
    if (tracing !== undefined) closing.push(tracing.close);
    const processor = await openProcessor(db, config);
    const worker = moneyWorker(db, processor, {
      checks: config.topUpChecks,
      limits: config.topUps,
      log,
      chores: { 'old idempotency keys': () => purge(db) },
      observer: metrics && measureMoney(metrics, db, config.topUpChecks),
    });
    const app = await build({
      db,
      config,
      topUps: topUps(db, processor, { log }),
      serverSecret,
      migration,
      log,
      metrics,
      trace: tracing?.begin,
      webhook: await openWebhook(config, () => untraced(worker.wake)),
    });
    share?.(metrics);
    const served = metrics && !share ? await serveMetrics(metrics, config.metrics) : undefined;
    closing.push(async () => served?.close(), worker.close, app.shutdown.close);
    const url = await app.listen({ port: config.port, host: config.host });
    worker.watch();
    const orphaned = embedded ? untilGone(config.dataDir, app.server) : new Promise<void>(() => {});
    return { url, metrics: served?.url, db, embedded, orphaned, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Goes to standard error, so that what is printed for people can be told apart from it. */
function serverLog(config: Config): Logger {
  // In blocks, at most 100 ms late: a write for each line was a tenth of the server's CPU time.
  return openLog(
    config.logLevel,
    pino.destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 100 }),
    config.tracing && traceFields,
  );
}

const connectAndTell = (config: Config, log: Logger) =>
  connect(config, {
    onError: (err) => log.warn({ err }, 'database'),
    onSlow: (slow) => log.warn(slow, 'a slow statement'),
    say: (line) => log.info(line),
    trace: config.tracing && databaseTrace,
  });

/**
 * The card processor of the configuration: Stripe with a key, otherwise the sandbox. Throws ConfigError where Stripe has
 * charged cards already: there a sandbox would credit money that nobody pays.
 */
export async function openProcessor(db: Database, { stripe }: Config): Promise<Processor> {
  if (stripe === undefined) {
    const { charged } = await db.one<{ charged: boolean }>(sql`
      select exists (select from top_up where processor = 'stripe') as charged`);
    if (charged) throw new ConfigError([STRIPE_IS_MISSING]);
    return sandbox(db);
  }
  // Loaded only where it is used: the SDK takes 38 MB.
  const { stripeProcessor } = await import('../billing/cards/stripe.ts');
  const { secretKey, timeoutMs, apiBase } = stripe;
  const base = apiBase === undefined ? {} : { apiBase };
  return stripeProcessor({ secretKey, timeoutMs, ...base, customers: customerStore(db) });
}

const STRIPE_IS_MISSING =
  'STRIPE_SECRET_KEY is missing: the top-ups of this database are Stripe’s, and the sandbox may not act for it. ' +
  'Set it here as it is set where the server runs';

/** Where the processor's events come in: with a secret to know them by. */
async function openWebhook({ stripe }: Config, onEvent: () => void): Promise<AppDeps['webhook']> {
  const secret = stripe?.webhookSecret;
  if (secret === undefined) return undefined;
  const { verifyWebhook } = await import('../billing/cards/stripe-events.ts');
  return { verify: (body, signature) => verifyWebhook(body, signature, secret), onEvent };
}

const LOOK_EVERY = 5_000;

/** Looks for the embedded PostgreSQL until it is gone twice in a row, while the server listens. */
async function untilGone(dataDir: string, server: { listening: boolean }): Promise<void> {
  for (let missed = 0; missed < 2; ) {
    await pause(LOOK_EVERY, undefined, { ref: false });
    if (!server.listening) return new Promise(() => {});
    missed = (await findEmbedded(dataDir).catch(() => undefined)) === undefined ? missed + 1 : 0;
  }
}

function refuseToGoOn(): never {
  throw new Error(
    'The embedded PostgreSQL has ended. Nothing that was answered is lost: start again, and it recovers.',
  );
}

/** Settles with the first of these signals; later ones change nothing. */
function told(...signals: NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve());
  });
}

type Announce = (server: Pick<Server, 'url' | 'metrics' | 'db' | 'embedded'>) => Promise<void>;

/** Serves until SIGINT, SIGTERM or the end of its terminal (SIGHUP); throws when its embedded PostgreSQL ends by itself. `announce` is called once the server answers. */
export async function serve(config: Config, announce: Announce): Promise<void> {
  const signal = told('SIGINT', 'SIGTERM', 'SIGHUP');
  const server = await start(config);
  try {
    await announce(server);
    await Promise.race([signal, server.orphaned.then(refuseToGoOn)]);
  } finally {
    await server.close();
  }
}

/** One of several processes, until it is told to end or the first one is gone. */
async function work(config: Config, signal: Promise<void>): Promise<void> {
  let metrics: Registry | undefined;
  const server = await start(config, serverLog(config), (counted) => {
    metrics = counted;
  });
  const { orphaned } = workerReady(server.url, metrics);
  await Promise.race([signal, orphaned, server.orphaned]);
  await server.close();
}

/**
 * Serves with `count` processes on one port until SIGINT or SIGTERM; SIGHUP puts a new one in the place of each, one
 * after the other. This process keeps the embedded PostgreSQL and the metrics, and answers no request.
 */
export async function serveWorkers(
  config: Config,
  count: number,
  announce: Announce,
): Promise<void> {
  const signal = told('SIGINT', 'SIGTERM');
  if (cluster.isWorker) {
    // The end of a terminal goes to every process; what it means the first one decides.
    process.on('SIGHUP', () => {});
    try {
      return await work(config, signal);
    } finally {
      // The channel to the first process would keep this one alive.
      if (process.connected) process.disconnect?.();
    }
  }
  const log = serverLog(config);
  const { db, embedded, close } = await connectAndTell(config, log);
  let workers: Workers | undefined;
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    const summed = {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      metrics: async () => workers?.metrics() ?? '',
    };
    if (config.metrics.port !== undefined) metrics = await serveMetrics(summed, config.metrics);
    workers = await startWorkers(count, log);
    const { restart } = workers;
    process.on('SIGHUP', () =>
      restart().catch((err) => log.error({ err }, 'workers were not restarted')),
    );
    await announce({ url: workers.url, metrics: metrics?.url, db, embedded });
    await Promise.race([signal, workers.failed]);
  } finally {
    await workers?.close();
    await metrics?.close();
    await close();
  }
}
