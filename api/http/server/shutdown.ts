import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Connection, now } from './connection.ts';
import type { Connections } from './connections.ts';

/** How a server ends. `draining`: it answers, but wants no more requests: `/readyz` says so. */
export interface Shutdown {
  draining(): boolean;
  /** Ends the server without losing a request; settles when every connection is closed. Calling it again waits too. */
  close(): Promise<void>;
}

// A request may be on its way for so long; a connection on which none has come by then will not be used again.
const GRACE_MS = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * Ends a server in the order that loses nothing: readiness turns first (`delay` milliseconds, for balancers to see it),
 * then event streams end, no connection is accepted, requests under way and on open connections are answered and their
 * connections closed; what is still there after `timeout` milliseconds is cut. A connection whose client has proven no
 * credential and lets the server wait is cut without that delay: it would only hold up the end.
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
      // Of HTTP's own close() the first half only: idle connections stay open, because a request may be on its way on
      // one of them; its answer closes it.
      NetServer.prototype.close.call(app.server);
      const since = now();
      while (connections.size > 0 && Date.now() < deadline) {
        for (const connection of connections)
          if (isUnused(connection, since)) connections.end(connection);
        await pause(LOOK_EVERY_MS);
      }
      app.server.closeAllConnections();
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

/** Whether nothing honest is lost with a connection, in a server that accepts none any more since `since`. */
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
