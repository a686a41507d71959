import { Server as NetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How a server ends. `draining`: it answers, but wants no more requests: `/readyz` says so. */
export interface Shutdown {
  draining(): boolean;
  /** Ends the server without losing a request; settles when every connection is closed. Calling it again waits too. */
  close(): Promise<void>;
}

// A connection that was idle for so long is taken for one that its client has put away.
const IDLE_GRACE_MS = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * Ends a server in the order that loses nothing: readiness turns first (`delay` milliseconds, for balancers to see it),
 * then event streams end, no connection is accepted, requests under way and on open connections are answered and their connections closed;
 * what is still there after `timeout` milliseconds is cut.
 */
export function shutdown(
  app: FastifyInstance,
  { delay, timeout }: { delay: number; timeout: number },
  endStreams: () => void,
): Shutdown {
  let draining = false;
  let closing: Promise<void> | undefined;

  const connections = () =>
    new Promise<number>((resolve) => {
      app.server.getConnections((error, count) => resolve(error ? 0 : count));
    });

  async function close(): Promise<void> {
    draining = true;
    // From now on each answer closes its connection.
    app.server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const deadline = Date.now() + delay + timeout;
    if (app.server.listening) {
      await pause(delay);
      endStreams();
      // Of HTTP's own close() the first half only: idle connections stay open, because a request may be on its way on
      // one of them; its answer closes it.
      NetServer.prototype.close.call(app.server);
      const idleUntil = Date.now() + IDLE_GRACE_MS;
      while ((await connections()) > 0 && Date.now() < deadline) {
        if (Date.now() > idleUntil) app.server.closeIdleConnections();
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
