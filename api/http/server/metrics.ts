import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
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
