import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';

/** A port that can refuse connections, and be opened again with the same number. */
export interface Listener {
  readonly port: number;
  open(): Promise<void>;
  /** Refuses connections. The port is kept until it is opened again or closed: no one else gets it. */
  refuse(): Promise<void>;
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
  let kept: Keeper | undefined;
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(work);
    return last;
  };
  const stop = () =>
    new Promise<void>((done) => {
      if (!server.listening) return done();
      server.close(() => done());
      server.closeAllConnections();
    });
  return {
    port: number,
    open: () =>
      inTurn(async () => {
        await open();
        kept?.release();
        kept = undefined;
      }),
    refuse: () =>
      inTurn(async () => {
        if (kept !== undefined) return;
        kept = await keeper();
        const stopped = stop();
        await kept.begin(number);
        await stopped;
      }),
    close: () =>
      inTurn(async () => {
        await stop();
        kept?.release();
      }),
  };
}

interface Keeper {
  begin(port: number): Promise<void>;
  release(): void;
}

/**
 * Keeps a port that nothing listens on. The system gives a port that is free to the next one that
 * asks for any, often a fake of the same kind; it gives none away that a connection comes from.
 */
async function keeper(): Promise<Keeper> {
  const ends: Socket[] = [];
  const keep = (socket: Socket) => void ends.push(socket.on('error', () => undefined));
  const other = createTcpServer(keep).listen(0, '127.0.0.1');
  await once(other, 'listening');
  return {
    begin: async (localPort) => {
      const host = '127.0.0.1';
      const { port } = other.address() as AddressInfo;
      const socket = connect({ host, port, localAddress: host, localPort });
      ends.push(socket);
      await once(socket, 'connect');
    },
    release: () => {
      other.close();
      for (const socket of ends) socket.resetAndDestroy();
    },
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
