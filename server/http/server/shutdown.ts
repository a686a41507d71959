import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Connection, now } from './connection.ts';
import type { Connections } from './connections.ts';

/**
 * How a server shuts down. `draining`: it still answers, but `/readyz` says that it wants no more
 * requests.
 */
export interface Shutdown {
  draining(): boolean;
  /**
   * Ends the server without losing a request; resolves when every connection is closed. A second
   * call waits too.
   */
  close(): Promise<void>;
}

// How long a request may be on its way; a connection that has received none by then is not in use.
const GRACE_MS = 1_000;
const POLL_EVERY_MS = 20;

/**
 * Shuts a server down in the order that loses nothing. First readiness changes, and for `delay`
 * milliseconds load balancers can notice. Then event streams end, no more connections are accepted,
 * and running requests and those that arrive on open connections are answered and their connections
 * closed. Whatever remains after `timeout` milliseconds is cut off. A connection whose client has
 * proven no credential and keeps the server waiting is cut off without that delay, because it would
 * only hold up the end.
 */
export function shutdown(
  app: FastifyInstance,
  connections: Connections,
  { delay, timeout }: { delay: number; timeout: number },
  endStreams: () => void,
): Shutdown {
  let draining = false;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    draining = true;
    // From now on each answer closes its connection.
    app.server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    for (const { exchanges } of connections)
      for (const { response } of exchanges) response.shouldKeepAlive = false;
    const deadline = Date.now() + delay + timeout;
    if (app.server.listening) {
      await pause(delay);
      endStreams();
      // Only the first half of HTTP's own close(): idle connections stay open, because a request
      // may be on its way; its answer closes the connection.
      NetServer.prototype.close.call(app.server);
      const since = now();
      while (connections.size > 0 && Date.now() < deadline) {
        for (const connection of connections)
          if (isUnused(connection, since)) connections.end(connection);
        await pause(POLL_EVERY_MS);
      }
      app.server.closeAllConnections();
    } else {
      // One that is about to listen would do so after its end: a process of a group waits for the
      // first one, which may answer late. Fastify, which may hear of it after this, reads the address
      // that it listens on.
      app.server.once('listening', () => setImmediate(() => app.server.close()));
    }
    await app.close();
  }

  return {
    draining: () => draining,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Whether closing a connection loses nothing that an honest client has sent; the server has
 * accepted none since `since`.
 */
function isUnused(connection: Connection, since: number): boolean {
  const at = now();
  if (connection.exchanges.size === 0) {
    // Its client may be about to send the next request, or its first one.
    const quietSince = connection.answered > 0 ? since : connection.since;
    return at - quietSince > GRACE_MS;
  }
  if (connection.proven) return false;
  const arriving = connection.exchanges
    .values()
    .every(({ request, begun }) => !request.complete && at - begun > GRACE_MS);
  return arriving || connection.stalledFor(at) > GRACE_MS;
}
