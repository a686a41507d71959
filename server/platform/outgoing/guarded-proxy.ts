import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { orAborted } from '../threads/or-aborted.ts';
import { mayConnect } from './addresses.ts';
import { asOutgoingError, OutgoingError } from './outgoing-error.ts';
import { type Address, lookupOf, resolveNames } from './resolve-name.ts';

/**
 * A proxy on loopback for one program that would connect by itself, such as git: the program reaches
 * one origin through it and nothing else. It resolves the name at each connection, refuses what is
 * not public unless the operator has opened it, and connects to the address that was checked, so
 * neither a name that changes nor a redirect leads elsewhere.
 */
interface GuardedProxy {
  /** For the program, with the credential that the proxy asks for. */
  url: string;
  /** Bytes that the origin has sent. */
  received(): number;
  /** Why it has refused or ended a connection, if it has: the first reason. */
  refusal(): OutgoingError | undefined;
  /** Ends every connection. */
  close(): Promise<void>;
}

interface ProxyOptions {
  /** Its origin is the only one that is reached. */
  target: URL;
  /** Addresses and networks in CIDR notation that are not public and may be connected to. */
  allowedNetworks: readonly string[];
  /** DNS servers instead of those of this machine, as `address:port`. */
  dnsServers?: readonly string[] | undefined;
  /** Bytes that the origin may send in all. */
  maxBytes: number;
  /** Milliseconds in which a connection may be made, or be silent. */
  silence: number;
}

export async function openGuardedProxy(options: ProxyOptions): Promise<GuardedProxy> {
  const { target, maxBytes, silence } = options;
  const permitted = mayConnect(options.allowedNetworks);
  const resolve = resolveNames(options.dnsServers);
  const secret = randomBytes(24).toString('base64url');
  const expected = Buffer.from(`Basic ${Buffer.from(`guildhall:${secret}`).toString('base64')}`);
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const sockets = new Set<Duplex>();
  let received = 0;
  let refusal: OutgoingError | undefined;

  const refuse = (error: unknown): OutgoingError => {
    const reason = asOutgoingError(error);
    refusal ??= reason;
    return reason;
  };
  const keep = <Kept extends Duplex>(socket: Kept): Kept => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket;
  };
  const count = (bytes: number) => {
    received += bytes;
    if (received > maxBytes) throw refuse(new OutgoingError('too_large'));
  };
  const isAuthorized = (headers: IncomingHttpHeaders): boolean => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  /** The addresses of the target, all of which are permitted. */
  async function addresses(asked: string): Promise<Address[]> {
    if (asked !== `${target.hostname}:${port}`) throw new OutgoingError('redirected');
    const late = AbortSignal.timeout(silence);
    const found = await orAborted(resolve(target.hostname), late);
    if (!found.every(({ address }) => permitted(address)))
      throw new OutgoingError('blocked_address');
    return found;
  }

  /** A connection for TLS, of which only the bytes are seen. */
  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!isAuthorized(request.headers)) return void client.end(UNAUTHORIZED);
    let origin: Socket;
    try {
      const found = await addresses(request.url ?? '');
      origin = keep(connect({ host: target.hostname, port, lookup: lookupOf(found) }));
      origin.setTimeout(silence, () => {
        refuse(new OutgoingError('timeout'));
        origin.destroy();
        client.destroy();
      });
      await once(origin, 'connect');
    } catch (error) {
      refuse(error);
      client.end(REFUSED);
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    origin.write(head);
    origin.on('data', (chunk: Buffer) => {
      try {
        count(chunk.length);
      } catch {
        origin.destroy();
        client.destroy();
      }
    });
    origin.pipe(client);
    client.pipe(origin);
    origin.once('close', () => client.destroy());
    client.once('close', () => origin.destroy());
  }

  /** A request without TLS. */
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAuthorized(request.headers))
      return void response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
    try {
      const url = URL.parse(request.url ?? '');
      if (url?.protocol !== 'http:' || target.protocol !== 'http:')
        throw new OutgoingError('redirected');
      const found = await addresses(`${url.hostname}:${Number(url.port) || 80}`);
      const asking = requestHttp({
        host: target.hostname,
        port,
        method: request.method ?? 'GET',
        path: `${url.pathname}${url.search}`,
        headers: withoutProxy(request.headers),
        agent: false,
        lookup: lookupOf(found),
        timeout: silence,
      });
      asking.once('socket', keep);
      asking.once('timeout', () => asking.destroy(refuse(new OutgoingError('timeout'))));
      request.pipe(asking);
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      answer.on('error', () => response.destroy());
      response.writeHead(answer.statusCode ?? 502, withoutProxy(answer.headers));
      answer.on('data', (chunk: Buffer) => {
        try {
          count(chunk.length);
        } catch {
          asking.destroy();
          response.destroy();
        }
      });
      answer.pipe(response);
      response.once('close', () => asking.destroy());
      asking.on('error', () => response.destroy());
    } catch (error) {
      refuse(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(403).end();
    }
  }

  const server = createServer((request, response) => void forward(request, response));
  server.on('connection', keep);
  server.on('connect', (request, client, head) => void tunnel(request, client, head));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://guildhall:${secret}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    refusal: () => refusal,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const UNAUTHORIZED =
  'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n' +
  'content-length: 0\r\nconnection: close\r\n\r\n';
const REFUSED = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** What is between the program and the proxy alone. */
const OWN = /^(proxy-.*|connection|keep-alive|transfer-encoding|upgrade)$/;

const withoutProxy = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name)));
