import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database/database.ts';

/** Metrics for Prometheus, of the connections to the database. Areas add their own. */
export function openMetrics(db: Pick<Database, 'connections' | 'replicas'>): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'guildhall_database_connections',
    help: 'Pool connections by state: used, idle; waiting counts callers waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(db.connections())) this.set({ state }, count);
    },
  });
  measureReplicas(registry, db);
  return registry;
}

function measureReplicas(registry: Registry, db: Pick<Database, 'replicas'>): void {
  new Gauge({
    name: 'guildhall_database_replica_used',
    help: '1 while reads go to a replica, 0 while the primary answers them instead',
    labelNames: ['replica'],
    registers: [registry],
    aggregator: 'min',
    collect() {
      for (const { name, used } of db.replicas()) this.set({ replica: name }, used ? 1 : 0);
    },
  });
  new Counter({
    name: 'guildhall_database_replica_reads_total',
    help: 'Reads that a replica has answered',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, reads } of db.replicas()) this.inc({ replica: name }, reads);
    },
  });
}

/** Adds those of the process: memory, event loop, garbage collection. Its observers never end. */
export const measureProcess = (registry: Registry): void =>
  collectDefaultMetrics({ register: registry });

/** Why something is not as it should be, as a sentence; undefined if it is. */
export type Check = () => Promise<string | undefined>;

/**
 * Serves `GET /metrics` on a separate port, because metrics are for the operator and the API's port
 * is for everyone; `checks` by their paths, too: 200, or 503 with the sentence. Throws if the port
 * is in use.
 */
export async function serveMetrics(
  registry: { contentType: string; metrics(): Promise<string> },
  { host, port }: { host: string; port: number | undefined },
  checks: Record<string, Check> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { url = '', method } = request;
    const check = Object.hasOwn(checks, url) ? checks[url] : undefined;
    if ((url !== '/metrics' && check === undefined) || (method !== 'GET' && method !== 'HEAD')) {
      const served = ['/metrics', ...Object.keys(checks)].map((path) => `GET ${path}\n`);
      response.writeHead(404, { 'content-type': 'text/plain' }).end(served.join(''));
      return;
    }
    try {
      if (check !== undefined) {
        const fault = await check();
        response
          .writeHead(fault === undefined ? 200 : 503, { 'content-type': 'application/json' })
          .end(JSON.stringify(fault === undefined ? { status: 'ok' } : { detail: fault }));
        return;
      }
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = ({ code }: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `Metrics cannot be served on ${host}, port ${port} (${code}): ` +
            'choose another METRICS_PORT or METRICS_HOST.',
        ),
      );
    server.once('error', refuse).listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Makes gauges of what all processes have in common, such as what waits in a queue. `read` is asked
 * once a scrape for all of them; while the database cannot be reached, they are left out.
 */
export function sharedGauges<Figures>(
  registry: Registry,
  read: () => Promise<Figures | undefined>,
) {
  const figures = oncePerScrape(() => read().catch(() => undefined));
  return (
    name: string,
    help: string,
    labelNames: string[],
    fill: (gauge: Gauge, now: Figures) => void,
  ) =>
    new Gauge({
      name: `guildhall_${name}`,
      help,
      labelNames,
      registers: [registry],
      aggregator: 'max',
      async collect() {
        const now = await figures();
        this.reset();
        if (now !== undefined) fill(this, now);
        else if (labelNames.length === 0) this.remove();
      },
    });
}

/** The gauges of a scrape are collected at the same time and share one query. */
export function oncePerScrape<Result>(query: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= query().finally(() => {
      running = undefined;
    });
    return running;
  };
}
