import { createServer, type RequestListener, type Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

/** Node's HTTP server with strict limits, whose connections are counted and watched. */
export function createHttpServer(
  answer: RequestListener,
  { requestTimeout }: { requestTimeout: number },
  connections: Connections,
): Server {
  const server = createServer(
    {
      // Only of the headers: a file may take longer than other bodies (connections.ts).
      requestTimeout: 0,
      headersTimeout: Math.min(10_000, requestTimeout),
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 72_000,
      maxHeaderSize: 16 * 1024,
      // Two credentials count as none. Otherwise, Node would use the first.
      joinDuplicateHeaders: true,
      requireHostHeader: false, // the request pipeline refuses it, with the headers of every answer
    },
    (request, response) => {
      if (connections.begin(request, response)) answer(request, response);
    },
  );
  return connections.guard(server);
}

/** Makes a connection count as proven as soon as the database has confirmed a credential on it. */
export function noteProofs(app: FastifyInstance, connections: Connections): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const exchange = connections.exchange(request.raw);
    // V8 allocates a function that is written where it is assigned to a property in its old
    // generation, where it keeps the whole request from minor collections (docs/performance.md).
    const proven = () => request.context?.caller !== undefined;
    if (exchange !== undefined) exchange.proven = proven;
    done();
  });
}
