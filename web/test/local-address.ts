import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after } from 'node:test';

/**
 * An address at localhost, where browsers have passkeys, that is known before the server behind it
 * has a port: what comes there goes on to `forward`.
 */
export async function localAddress(): Promise<{ url: string; forward(to: string): void }> {
  let port = 0;
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    forward: (to) => {
      port = Number(new URL(to).port);
    },
  };
}
