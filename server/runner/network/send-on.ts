import {
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket, TcpSocketConnectOpts } from 'node:net';
import { pipeline } from 'node:stream';
import { type Address, lookupOf } from '../../platform/outgoing/resolve-name.ts';
import { Refusal } from './target.ts';

/** One request that is not CONNECT, on its way to its host: written anew, never passed through. */

interface SendOn {
  url: URL;
  addresses: readonly Address[];
  /** Aborted when the answer must have begun, or all is over. */
  signal: AbortSignal;
  /** Milliseconds without a byte after which it is given up. */
  idle: number;
  onConnection(socket: Socket): void;
}

/** Answers 1xx before the one that counts. */
const MOST_INTERIM = 20;

/** Resolves as the answer begins; its body follows. Rejects with the fault of the connection. */
export function sendOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  { url, addresses, signal, idle, onConnection }: SendOn,
): Promise<void> {
  const { framing, hasBody } = framingOf(incoming);
  const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamily'> = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: ['Host', url.host, ...onward(incoming.rawHeaders, FRAMING), ...framing],
    agent: false,
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    maxHeaderSize: 65_536,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(options);
    const stop = () => request.destroy(new Error('timeout'));
    signal.addEventListener('abort', stop, { once: true });
    const settled = () => signal.removeEventListener('abort', stop);
    let interim = 0;
    request
      .on('socket', onConnection)
      .on('information', () => {
        interim += 1;
        if (interim > MOST_INTERIM) request.destroy(new Error('too many interim answers'));
      })
      .on('upgrade', (_, socket) => {
        settled();
        socket.destroy();
        reject(new Refusal(502, 'The host has changed the protocol, which nobody asked for.'));
      })
      .on('error', (error) => {
        settled();
        reject(error);
        // What has begun is cut, so that it is not taken for whole.
        if (response.headersSent) response.destroy();
      })
      .on('response', (answer) => {
        settled();
        response.writeHead(answer.statusCode ?? 502, onward(answer.rawHeaders));
        pipeline(answer, response, () => request.destroy());
        resolve();
      })
      .setTimeout(idle, stop);
    response.once('close', () => request.destroy());
    if (hasBody) pipeline(incoming, request, (error) => error && request.destroy(error));
    else request.end();
  });
}

/** How long the body is, in the words of this server's own reading of it. */
function framingOf({ headers }: IncomingMessage): { framing: string[]; hasBody: boolean } {
  if (headers['transfer-encoding'] !== undefined)
    return { framing: ['Transfer-Encoding', 'chunked'], hasBody: true };
  const length = headers['content-length'];
  return length === undefined
    ? { framing: [], hasBody: false }
    : { framing: ['Content-Length', length], hasBody: true };
}

/** Headers that are for one connection alone (RFC 9110 §7.6.1), and those that are written anew. */
const NOT_PASSED = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of a request, `framing` says it: a strict server refuses a length that is there twice. */
const FRAMING = ['content-length'];

function onward(rawHeaders: readonly string[], besides: readonly string[] = []): string[] {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => ({
    name: rawHeaders[2 * i] ?? '',
    value: rawHeaders[2 * i + 1] ?? '',
  }));
  const named = pairs
    .filter(({ name }) => name.toLowerCase() === 'connection')
    .flatMap(({ value }) => value.split(',').map((part) => part.trim().toLowerCase()));
  const passes = (name: string) =>
    !(
      NOT_PASSED.has(name) ||
      named.includes(name) ||
      besides.includes(name) ||
      name.startsWith('proxy-')
    );
  return pairs
    .filter(({ name }) => passes(name.toLowerCase()))
    .flatMap(({ name, value }) => [name, value]);
}
