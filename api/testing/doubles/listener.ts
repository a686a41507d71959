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
