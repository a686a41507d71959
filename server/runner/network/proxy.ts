import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { OutgoingError } from '../../platform/outgoing/outgoing-error.ts';
import {
  boundConnections,
  isToken,
  listenForPod,
  newToken,
  LIMITS as TIMEOUTS,
} from '../../platform/pods/pod-socket.ts';
import { orAborted } from '../../platform/threads/or-aborted.ts';
import { type HostUse, useCounter } from './count-use.ts';
import { sendOn } from './send-on.ts';
import {
  addressesOf,
  connectTarget,
  type Reach,
  Refusal,
  type RefusedHost,
  requestTarget,
} from './target.ts';
import { connectTo, join } from './tunnel.ts';

/**
 * The network as the processes of a pod reach it in one attempt: a forward proxy (HTTP and CONNECT)
 * at a Unix socket. Each request is compared with the list, its name is resolved once, and the
 * address that was checked is the one that is connected to (docs/decisions/0075).
 */
export interface ForwardProxy {
  /** Path of the socket on this machine. */
  socket: string;
  /** The password of requests. It is good for this proxy only. */
  token: string;
  used(): HostUse[];
  /** Cuts all connections and removes the socket. May be called more than once. */
  close(): Promise<void>;
}

interface ProxyOptions extends Reach {
  /** Closes it. */
  signal: AbortSignal;
  /** Called for each request that is refused for its host. */
  onRefused(refused: RefusedHost): void;
  limits?: Partial<ProxyLimits>;
}

interface ProxyLimits {
  connections: number;
  /** In both directions, before all is refused. */
  bytes: number;
  /** Milliseconds in which a name is resolved and its host connected to. */
  connect: number;
  /** Milliseconds in which an answer begins. */
  answer: number;
  /** Milliseconds without a byte. */
  idle: number;
}

const LIMITS: ProxyLimits = {
  connections: 64,
  bytes: 16 * 1024 ** 3,
  connect: 10_000,
  answer: 120_000,
  idle: 300_000,
};

/** In which a request arrives whole. */
const REQUEST_MS = 600_000;
/** Between two polls of the bytes that have passed. */
const POLL_EVERY_MS = 500;
export const PROXY_USER = 'guildhall';

/** Rejects with an Error when the socket cannot be made. */
export async function openProxy(options: ProxyOptions): Promise<ForwardProxy> {
  const { signal, onRefused } = options;
  const limits = { ...LIMITS, ...options.limits };
  const token = newToken();
  const ending = new AbortController();
  const use = useCounter();
  const upstream = new Set<Socket>();
  const server = createServer({
    ...TIMEOUTS,
    requestTimeout: REQUEST_MS,
    maxHeaderSize: 16_384,
    // A request without a host would be refused with a word that says nothing of proxies.
    requireHostHeader: false,
  });
  const clients = boundConnections(server, limits.connections);

  const admit = ({ headers }: IncomingMessage) => {
    if (!isToken(token, passwordOf(headers['proxy-authorization'])))
      throw new Refusal(407, 'This is not the token of this attempt.');
    if (use.bytes() > limits.bytes)
      throw new Refusal(403, 'This attempt has used as much of the network as one may.');
  };
  const within = (milliseconds: number) =>
    AbortSignal.any([ending.signal, AbortSignal.timeout(milliseconds)]);
  const count = (target: Parameters<typeof use.add>[0], socket: Socket) => {
    upstream.add(socket);
    socket.once('close', () => upstream.delete(socket));
    use.add(target, socket);
    if (ending.signal.aborted) socket.destroy();
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    admit(incoming);
    const { url, target } = requestTarget(incoming.url ?? '');
    const early = within(limits.connect);
    const addresses = await orAborted(addressesOf(target, options), early);
    const onConnection = (socket: Socket) => {
      count(target, socket);
      const late = setTimeout(() => socket.destroy(), limits.connect);
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late));
    };
    const sent = { url, addresses, signal: within(limits.answer), idle: limits.idle, onConnection };
    await sendOn(incoming, response, sent);
  }

  async function tunnel(incoming: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    admit(incoming);
    const target = connectTarget(incoming.url ?? '');
    const early = within(limits.connect);
    const addresses = await orAborted(addressesOf(target, options), early);
    const host = await connectTo(target.port, addresses, early);
    count(target, host);
    if (client.destroyed) return void host.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    host.write(head);
    join(client, host, limits.idle);
  }

  const told = (error: unknown): Refusal => {
    const refusal = refusalOf(error);
    if (refusal.refused !== undefined) onRefused(refusal.refused);
    return refusal;
  };
  server.on('request', (incoming, response) => {
    clients.begin(incoming, response);
    pass(incoming, response).catch((error) => {
      const { status, message } = told(error);
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(status, refusedHeaders(status, message)).end(message);
    });
  });
  server.on('connect', (incoming, client: Socket, head) => {
    clients.hold(client);
    client.on('error', () => {});
    tunnel(incoming, client, head).catch((error) => {
      const { status, message } = told(error);
      client.setTimeout(limits.connect, () => client.destroy());
      client.end(answerOf(status, message), () => client.destroySoon());
    });
  });

  const { path, remove } = await listenForPod('proxy', server);
  const cut = () => {
    for (const socket of upstream) socket.destroy();
  };
  const polling = setInterval(() => {
    if (use.bytes() > limits.bytes) cut();
  }, POLL_EVERY_MS).unref();
  const end = async () => {
    ending.abort(new Refusal(503, 'This attempt has ended.'));
    clearInterval(polling);
    signal.removeEventListener('abort', close);
    server.close();
    clients.closeAll();
    cut();
    await remove();
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= end();
    return closed;
  };
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) await close();
  return { socket: path, token, used: use.list, close };
}

/** Of `Basic`, whoever the user is. */
function passwordOf(header: string | undefined): string | undefined {
  const [, encoded = ''] = /^Basic +([\w+/=-]{1,400})$/i.exec(header ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : undefined;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof OutgoingError) return new Refusal(502, error.message);
  const { name, message, code } = error as NodeJS.ErrnoException;
  const late = name === 'TimeoutError' || name === 'AbortError' || message === 'timeout';
  if (late) return new Refusal(504, 'The host does not answer in time.');
  return new Refusal(502, `The host could not be reached (${code ?? name}).`);
}

const refusedHeaders = (status: number, message: string) => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Length': String(Buffer.byteLength(message)),
  // What of the request was not read must not be taken for another.
  Connection: 'close',
  ...(status === 407 && { 'Proxy-Authenticate': 'Basic realm="guildhall"' }),
});

function answerOf(status: number, message: string): string {
  const headers = Object.entries(refusedHeaders(status, message));
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${message}`;
}
