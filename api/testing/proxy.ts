import { connect, createServer, type Socket } from 'node:net';

/** A line to the database that can be cut. */
export async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let up = true;
  const server = createServer((client) => {
    if (!up) return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => {
    up = false;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      up = true;
    },
    close: async () => {
      cut();
      server.close();
    },
  };
}
