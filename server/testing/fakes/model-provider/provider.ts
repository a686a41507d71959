import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Asked, type Reply, SHAPES } from './shapes.ts';

/** A provider of models on loopback, whose answers are a script. */

export interface ProviderRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the body of whichever API was called.
  body: any;
}

interface ScriptedProvider {
  /** Without a path. */
  url: string;
  requests: ProviderRequest[];
  close(): Promise<void>;
}

export interface Script {
  /** The answer in the API that was called. */
  reply(asked: Asked): Reply;
  /** Answers by itself, unless it returns false. */
  handle?(request: ProviderRequest, response: ServerResponse): boolean | undefined;
}

export async function startProvider({ reply, handle }: Script): Promise<ScriptedProvider> {
  const requests: ProviderRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = incoming;
    const body = text === '' ? undefined : JSON.parse(text);
    const request = { method, path, headers, body };
    requests.push(request);
    if (handle?.(request, response) === true) return;
    const shape = SHAPES.find((one) => one.path.test(path));
    if (shape === undefined || method !== 'POST') {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{}}');
      return;
    }
    const asked = shape.asked(path, body);
    const said = reply({ ...asked, all: text });
    if (!shape.streams(path, body)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(shape.whole(asked, said)));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const { event, data } of shape.stream(asked, said, body)) {
      if (event !== undefined) response.write(`event: ${event}\n`);
      response.write(`data: ${JSON.stringify(data)}\n\n`);
    }
    response.end(shape.end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
