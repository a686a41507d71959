import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventStreams } from '../event-stream.ts';
import type { Transfers } from '../transfers.ts';
import type { Connections } from './connections.ts';

/** Measures every request by its route template, so that ids never become labels. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'From the request line to the last byte of the answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    duration.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });
}

/** Counts open connections, and those that were cut. */
export function measureConnections(connections: Connections, registry: Registry): void {
  new Gauge({
    name: 'guildhall_http_connections',
    help: 'Connections that are open',
    registers: [registry],
    collect() {
      this.set(connections.size);
    },
  });
  new Counter({
    name: 'guildhall_http_connections_cut_total',
    help: 'Connections that were ended early, by reason',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of connections.cuts) this.inc({ reason }, count);
    },
  });
}

/** Counts open event streams, and those that have ended. */
export function measureStreams<Permit>(
  { count, ends }: Pick<EventStreams<Permit>, 'count' | 'ends'>,
  registry: Registry,
): void {
  new Gauge({
    name: 'guildhall_event_streams',
    help: 'Open event streams, and long polls for events',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
  new Counter({
    name: 'guildhall_event_streams_ended_total',
    help: 'Event streams that have ended, by reason',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, ended] of ends) this.inc({ reason }, ended);
    },
  });
}

/** Counts files that are on their way, and those that were. */
export function measureTransfers(transfers: Record<string, Transfers>, registry: Registry): void {
  new Gauge({
    name: 'guildhall_file_transfers',
    help: 'Files that are on their way, by direction',
    labelNames: ['direction'],
    registers: [registry],
    collect() {
      for (const [direction, { running }] of Object.entries(transfers))
        this.set({ direction }, running());
    },
  });
  new Counter({
    name: 'guildhall_file_transfers_total',
    help: 'Uploads and downloads of files, by result',
    labelNames: ['direction', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [direction, { results }] of Object.entries(transfers))
        for (const [result, count] of results) this.inc({ direction, result }, count);
    },
  });
}
