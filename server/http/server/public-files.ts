import type { FastifyInstance } from 'fastify';
import { networkOf } from './client-network.ts';
import { type Connection, now } from './connection.ts';
import type { Connections } from './connections.ts';
import { overloaded } from './overload.ts';

/** How many responses may be in progress at once. Public files are large and need no key. */
const LIMITS = { total: 64, perAddress: 8 };
/** A client that has read nothing for this long gives way to another one. */
const STALLED_MS = 1_000;

/** A response in progress. */
interface Sending {
  connection: Connection;
  network: string;
}

/**
 * Limits the public files of a scope. They take none of the slots that operations use, so slow
 * readers never block an operation, and have limits of their own instead. At a limit, the client
 * that has read nothing for the longest time is disconnected. Errors: 503 overloaded if all of them
 * are reading.
 */
export function limitPublicFiles(scope: FastifyInstance, connections: Connections): void {
  const all = new Set<Sending>();

  scope.addHook('onRequest', (request, _reply, done) => {
    const connection = connections.of(request.raw.socket);
    const exchange = connections.exchange(request.raw);
    if (connection === undefined || exchange === undefined) return done();
    const sending = { connection, network: networkOf(request.ip) };
    const neighbours = [...all].filter(({ network }) => network === sending.network);
    const fits =
      (neighbours.length < LIMITS.perAddress || cutSlowest(neighbours)) &&
      (all.size < LIMITS.total || cutSlowest(all));
    if (!fits) return done(overloaded());
    all.add(sending);
    const leave = () => all.delete(sending);
    exchange.onEnd = leave;
    return done();
  });

  function cutSlowest(candidates: Iterable<Sending>): boolean {
    const at = now();
    let slowest: Connection | undefined;
    for (const { connection } of candidates) {
      const stalled = connection.stalledFor(at);
      if (stalled >= STALLED_MS && stalled > (slowest?.stalledFor(at) ?? 0)) slowest = connection;
    }
    if (slowest === undefined) return false;
    connections.cut(slowest, 'not_reading');
    return true;
  }
}
