import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A port that can be closed, so that connections are refused, and opened again with the same
 * number.
 */
export interface Listener {
  readonly port: number;
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function listen(port: number, handle: RequestListener): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  let number = port;
  const open = () =>
    new Promise<void>((done, fail) => {
      if (server.listening) return done();
      server.once('error', fail);
      server.listen(number, '127.0.0.1', () => {
        server.off('error', fail);
        done();
      });
    });
  await open();
  number = (server.address() as AddressInfo).port;
  return {
    port: number,
    open,
    close: () =>
      new Promise<void>((done) => {
        if (!server.listening) return done();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** For scripts: says why a port cannot be opened, and ends with status 1. */
export const cannotListen =
  (port: number) =>
  ({ code, message }: NodeJS.ErrnoException): never => {
    const reason =
      code === 'EADDRINUSE'
        ? `Port ${port} is in use: stop what uses it or choose another port; ` +
          '--port 0 picks a free one.'
        : `Port ${port} cannot be opened (${message}).`;
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  };
