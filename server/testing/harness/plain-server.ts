import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { type ConnectionLimits, Connections } from '../../http/server/connections.ts';
import { answerHeaders } from '../../http/server/headers.ts';
import { createHttpServer } from '../../http/server/http-server.ts';
import { refuseBrokenRequests } from '../../http/server/request-hygiene.ts';

/** The server's own HTTP server and its connections, without an API and a database behind it. */
export async function startPlainServer(
  answer: RequestListener,
  limits: Partial<ConnectionLimits> = {},
  requestTimeout = 60_000,
): Promise<{ url: string; connections: Connections }> {
  const connections = new Connections({
    total: 100,
    perAddress: 100,
    sendTimeout: 1_000,
    requestTimeout,
    trustedProxies: [],
    ...limits,
  });
  const server = createHttpServer(answer, { requestTimeout }, connections);
  server.on('clientError', refuseBrokenRequests(answerHeaders('http://x'), connections));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    connections.close();
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}
