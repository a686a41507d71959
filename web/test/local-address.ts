import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after } from 'node:test';
import type { atEnd } from '../../server/testing/harness/at-end.ts';

/**
 * An address that is known before the server behind it has a port: what comes there goes on to
 * `forward`. At localhost browsers have passkeys; other names the browser must be told of.
 */
export async function localAddress(
  host = 'localhost',
  onEnd: typeof atEnd = after,
): Promise<{ url: string; forward(to: string): void }> {
  let port = 0;
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(async () => {
    server.close();
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    forward: (to) => {
      port = Number(new URL(to).port);
    },
  };
}
