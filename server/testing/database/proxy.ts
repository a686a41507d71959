import { connect, createServer, type Socket } from 'node:net';

/** A connection to the database that can be cut, become silent, or be redirected. */
export async function startProxy(target: string) {
  let { hostname, port } = new URL(target);
  const open = new Map<Socket, Socket>();
  let state: 'up' | 'cut' | 'silent' = 'up';
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.set(from, to);
      if (state === 'up') from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => {
    state = 'cut';
    for (const socket of open.keys()) socket.destroy();
    open.clear();
  };
  return {
    url: url.href,
    cut,
    /** Like a pulled cable: nothing is refused and nothing gets through, in either direction. */
    silence: () => {
      state = 'silent';
      for (const [from, to] of open) from.unpipe(to);
    },
    /** Like an address that another server has taken: only what is open is silent, for ever. */
    strand: () => {
      for (const [from, to] of open) from.unpipe(to);
    },
    mend: () => {
      state = 'up';
      for (const [from, to] of open) from.pipe(to);
    },
    /** Redirects new connections. */
    lead: (to: string) => {
      ({ hostname, port } = new URL(to));
    },
    close: async () => {
      cut();
      server.close();
    },
  };
}
