import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { build } from './app.ts';
import { customerStore } from './billing/cards/customers.ts';
import type { Processor } from './billing/cards/processor.ts';
import { sandbox } from './billing/cards/sandbox.ts';
import { stripeProcessor } from './billing/cards/stripe.ts';
import { verifyWebhook } from './billing/cards/stripe-events.ts';
import { measureMoney } from './billing/metrics.ts';
import { topUps } from './billing/top-ups.ts';
import { moneyWorker } from './billing/worker.ts';
import type { Config } from './config.ts';
import { connect } from './connect.ts';
import type { Database } from './db/database.ts';
import { findEmbedded } from './db/embedded.ts';
import { purge } from './http/idempotency.ts';
import { openLog } from './log.ts';
import { openMetrics, serveMetrics } from './metrics.ts';

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

/** Starts everything in order; what had started is closed again when a later step fails. */
export async function start(config: Config): Promise<Server> {
  // The log goes to standard error, so that what is printed for people can be told apart from it.
  // Lines go out in blocks, at most 100 ms late: a write for each of them was a tenth of the server's CPU time.
  const blocks = { sync: false, minLength: 4096, periodicFlush: 100 };
  const log = openLog(config.logLevel, pino.destination({ fd: 2, ...blocks }));
  const { db, embedded, serverSecret, migration, close } = await connect(config, {
    onError: (err) => log.warn({ err }, 'database'),
    say: (line) => log.info(line),
  });
  const { port: metricsPort, host: metricsHost } = config.metrics;
  const metrics = metricsPort === undefined ? undefined : openMetrics(db);
  const closing: (() => Promise<void>)[] = [close];
  const closeAll = async () => {
    for (const closeOne of closing.splice(0).reverse()) await closeOne();
  };
  try {
    const processor = openProcessor(db, config);
    const worker = moneyWorker(db, processor, {
      checks: config.topUpChecks,
      limits: config.topUps,
      log,
      chores: { 'old idempotency keys': () => purge(db) },
      observer: metrics && measureMoney(metrics, db, config.topUpChecks.length),
    });
    const webhook = (secret: string) => ({
      verify: (body: Buffer, signature: string | undefined) => verifyWebhook(body, signature, secret),
      onEvent: worker.wake,
    });
    const app = await build({
      db,
      config,
      topUps: topUps(db, processor),
      serverSecret,
      migration,
      log,
      metrics,
      ...(config.stripe?.webhookSecret === undefined
        ? {}
        : { webhook: webhook(config.stripe.webhookSecret) }),
    });
    let metricsUrl: string | undefined;
    if (metrics !== undefined) {
      const served = await serveMetrics(metrics, { host: metricsHost, port: metricsPort as number });
      metricsUrl = served.url;
      closing.push(served.close);
    }
    closing.push(worker.close, () => app.close());
    const url = await app.listen({ port: config.port, host: config.host });
    worker.watch();
    const orphaned = embedded ? untilGone(config.dataDir, app.server) : new Promise<void>(() => {});
    return { url, metrics: metricsUrl, db, embedded, orphaned, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The card processor of the configuration: Stripe with a key, otherwise the sandbox. */
export function openProcessor(db: Database, { stripe }: Config): Processor {
  if (stripe === undefined) return sandbox(db);
  const { secretKey, timeoutMs, apiBase } = stripe;
  const base = apiBase === undefined ? {} : { apiBase };
  return stripeProcessor({ secretKey, timeoutMs, ...base, customers: customerStore(db) });
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

/** Serves until SIGINT or SIGTERM; throws when its embedded PostgreSQL ends by itself. `announce` is called once the server answers. */
export async function serve(config: Config, announce: (server: Server) => Promise<void>): Promise<void> {
  const server = await start(config);
  const signal = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  try {
    await announce(server);
    await Promise.race([signal, server.orphaned.then(refuseToGoOn)]);
  } finally {
    await server.close();
  }
}
