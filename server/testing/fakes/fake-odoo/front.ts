import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Certificate } from '../mail-server/certificates.ts';

const TLS_HANDSHAKE = 22;

const PLAIN_ON_TLS =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 0\r\n' +
  'Connection: close\r\n\r\n';

interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * A port for HTTP, or for HTTPS if there is a certificate. As proxies do, it answers 400 to plain
 * HTTP on a port for TLS; a TLS handshake on a port for HTTP ends the connection.
 */
export async function openFront(
  port: number,
  tls: Certificate | undefined,
  handle: RequestListener,
): Promise<Front> {
  const plain = createHttp(handle);
  const secure = tls && createHttps({ cert: tls.cert, key: tls.key }, handle);
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return void socket.destroy();
      socket.unshift(bytes);
      const greets = bytes[0] === TLS_HANDSHAKE;
      if (greets === (secure !== undefined)) (secure ?? plain).emit('connection', socket);
      else if (greets) socket.resetAndDestroy();
      else socket.end(PLAIN_ON_TLS);
    });
  });
  await new Promise<void>((done, fail) => {
    front.once('error', fail);
    front.listen(port, '127.0.0.1', done);
  });
  return {
    port: (front.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        front.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
