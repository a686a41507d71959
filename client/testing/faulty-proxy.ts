import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after } from 'node:test';

/** What happens to a request on its way: `lost` before the server gets it, or its answer after. */
type Fault =
  | 'lost'
  | 'answer lost'
  | 'cut short'
  | 'never'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A request as it arrived at the proxy. */
interface Seen {
  method: string;
  url: string;
  key: string | undefined;
  contentType: string | undefined;
}

/** What belongs to one of the two connections. */
const HOP_BY_HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/**
 * A proxy in front of a server, which does to each request what `faults` holds next, and forwards
 * those after. Closed after the tests of the file.
 */
export async function faultyProxy(target: string) {
  const faults: Fault[] = [];
  const seen: Seen[] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    seen.push({
      method,
      url,
      key: headers['idempotency-key'] as string | undefined,
      contentType: headers['content-type'],
    });
    const fault = faults.shift();
    if (fault === 'never') return;
    if (fault === 'lost') {
      request.socket.destroy();
      return;
    }
    const body = await textOf(request);
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    // What is packed would be unpacked here, and passed on with the header of what is packed.
    const others = Object.entries({ ...headers, 'accept-encoding': 'identity' }).filter(
      ([name]) => !HOP_BY_HOP.has(name),
    );
    const answer = await fetch(new URL(url, target), {
      method,
      headers: others as [string, string][],
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (fault === 'answer lost') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (fault === 'cut short') response.write(text.slice(0, 5), () => request.socket.destroy());
    else response.end(text);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  return { url: `http://127.0.0.1:${port}`, faults, seen, connections };
}
