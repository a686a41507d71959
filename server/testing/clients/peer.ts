import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { Certificate } from '../fakes/mail-server/certificates.ts';

/** A web server of somebody else that this one sends requests to, and the requests it received. */
interface Peer {
  url: string;
  port: number;
  received: string[];
}

export async function startPeer(
  answer: RequestListener,
  { host = '127.0.0.1', port = 0, tls }: { host?: string; port?: number; tls?: Certificate } = {},
): Promise<Peer> {
  const received: string[] = [];
  const listener: RequestListener = (request, response) => {
    received.push(`${request.method} ${request.url}`);
    answer(request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  );
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http${tls ? 's' : ''}://${tls ? 'localhost' : host}:${chosen}`,
    port: chosen,
    received,
  };
}
