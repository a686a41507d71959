import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, Transform } from 'node:stream';

/**
 * A connection that is closed while bytes of its client arrive is reset, and the client loses what it
 * was answered. So what still comes is read and thrown away for a while. Node.js ends one that is
 * silent for five seconds before.
 */

export const LINGER_MS = 30_000;

function endLater(socket: Duplex, milliseconds: number): () => void {
  const late = setTimeout(() => socket.destroy(), milliseconds).unref();
  socket.once('close', () => clearTimeout(late));
  return () => clearTimeout(late);
}

/** To be called before a request is answered. */
export function lingerAfter(
  incoming: IncomingMessage,
  response: ServerResponse,
  milliseconds: number,
): void {
  response.once('finish', () => {
    incoming.unpipe();
    if (incoming.complete) return;
    incoming.once('end', endLater(incoming.socket, milliseconds)).resume();
  });
}

/** Refuses to upgrade a connection, which Node.js does not look after any more. */
export function refuseUpgrade(socket: Duplex, status: string, milliseconds: number): void {
  endLater(socket, milliseconds);
  socket.resume().end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}

/**
 * Passes a body on, each part after what has come from the other side meanwhile was read: a write to
 * a server that has closed fails, and takes with it an answer that is not read yet.
 */
export const afterReading = (): Transform =>
  new Transform({
    // The second turn of the event loop has looked for what arrived since the part did.
    transform: (part, _, done) => {
      setImmediate(() => setImmediate(done, null, part));
    },
  });
