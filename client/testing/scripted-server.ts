import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

type Handle = (response: ServerResponse, request: IncomingMessage) => void;

/**
 * A server that answers each request with the next function of a script, and never after its end.
 * For what the real one cannot be made to answer. Closed after the tests of the file.
 */
export async function scriptedServer() {
  const script: Handle[] = [];
  const seen: IncomingMessage[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    seen.push(request);
    open.add(response);
    response.on('close', () => open.delete(response));
    script.shift()?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    script,
    seen,
    /** Requests that have not ended. */
    open: () => open.size,
    restart: (...handles: Handle[]) => {
      script.splice(0, script.length, ...handles);
      seen.length = 0;
    },
  };
}

/** Answers with frames of an event stream, and leaves it open. */
export const frames =
  (...lines: string[]): Handle =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(lines.join(''));
  };

/** The frame of an event as the server sends it. */
export const frame = (seq: number): string =>
  `id: ${seq}\nevent: message\ndata: {"seq":${seq},"type":"message"}\n\n`;

export const status =
  (code: number, headers: Record<string, string> = {}): Handle =>
  (response) => {
    response.writeHead(code, headers).end();
  };
