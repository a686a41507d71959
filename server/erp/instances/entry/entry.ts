import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import type { InstanceDriver } from '../instance-driver.ts';
import { answerHeaders, cookieName, cookieOf, ownCookies, requestHeaders } from './headers.ts';
import { afterReading, LINGER_MS, lingerAfter, refuseUpgrade } from './linger.ts';
import { signInToOdoo } from './sign-in.ts';
import { beginVisit, isVisiting } from './visits.ts';

/**
 * Where people reach the throwaway Odoos of tasks: each by a host name that begins with its id. A
 * link of `open_odoo_instance` signs them in; without one nobody passes, and nobody does any more
 * once the instance has ended or they may not work on its task.
 */

export const OPEN_PATH = '/_guildhall/open';

/** What bounds and watches the connections of the server: strangers do not fill it. */
interface EntryConnections {
  guard(server: Server): Server;
  /** False where there is no one to answer. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  of(socket: Socket): { prove(): void } | undefined;
  close(): void;
}

export interface EntryOptions {
  db: Database;
  driver: Pick<InstanceDriver, 'url'>;
  passwordOf(id: string): string;
  /** Whether people reach it by https. */
  secure: boolean;
  connections: EntryConnections;
  log: Logger;
  /** How long an answer to "may they?" counts, in milliseconds. */
  trust?: number;
  /** Between two checks whether what is open may go on, in milliseconds. */
  recheckEvery?: number;
  /** How long a header may take to arrive, from the beginning of its connection, in milliseconds. */
  headerWithin?: number;
  /** How long what comes after an answer is still read, in milliseconds. */
  lingerFor?: number;
}

export interface Entry {
  url: string;
  close(): Promise<void>;
}

const ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\./;
const TRUST_MS = 2_000;
/** Of open WebSockets, and of answers that take long. */
const RECHECK_MS = 5_000;
/** Odoo may compute a report for minutes. */
const ANSWER_MS = 10 * 60_000;
const HEADER_MS = 10_000;
const MOST_KNOWN = 10_000;

/** Rejects where the address cannot be listened on. */
export async function openEntry(
  { host, port }: { host: string; port: number },
  options: EntryOptions,
): Promise<Entry> {
  const { db, driver, passwordOf, secure, connections, log } = options;
  const { trust = TRUST_MS, recheckEvery = RECHECK_MS } = options;
  const { headerWithin = HEADER_MS, lingerFor = LINGER_MS } = options;
  /** Until when a browser is known to be let in. */
  const known = new Map<string, number>();

  async function mayPass(id: string, session: string | undefined): Promise<boolean> {
    if (session === undefined || session.length > 100) return false;
    const key = `${id} ${session}`;
    const until = known.get(key);
    if (until !== undefined && performance.now() < until) return true;
    known.delete(key);
    if (!(await isVisiting(db, id, session))) return false;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, performance.now() + trust);
    return true;
  }

  /** Checks now and then whether someone may still pass. Returns what ends that. */
  function whileVisiting(id: string, session: string | undefined, end: () => void): () => void {
    const timer = setInterval(() => {
      mayPass(id, session).then(
        (may) => may || end(),
        () => undefined,
      );
    }, recheckEvery).unref();
    return () => clearInterval(timer);
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = idOf(incoming);
    if (id === undefined) return say(response, 404, 'There is no Odoo at this address.');
    // Another form names a server, and this one asks no server but the Odoo.
    if (incoming.url?.startsWith('/') !== true)
      return say(response, 400, 'There is no such address.');
    const { pathname, searchParams } = new URL(`http://entry${incoming.url}`);
    if (pathname === OPEN_PATH)
      return await open(id, searchParams.get('ticket') ?? '', incoming, response);
    const session = cookieOf(incoming.headers.cookie, secure);
    if (!(await mayPass(id, session))) return say(response, 401, CLOSED);
    connections.of(incoming.socket)?.prove();
    const stop = whileVisiting(id, session, () => response.destroy());
    response.once('close', stop);
    await pass(id, incoming, response);
  }

  async function open(
    id: string,
    ticket: string,
    { method, socket }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    // What looks at a link before a person does asks for its head.
    if (method !== 'GET') return say(response, 405, 'Open this address in a browser.');
    const url = await driver.url(id);
    const visit = url && (await beginVisit(db, id, ticket));
    if (url === undefined || !visit) return say(response, 401, CLOSED);
    connections.of(socket)?.prove();
    const as = { database: visit.database, password: passwordOf(id) };
    const cookies = await signInToOdoo(url, as).catch((err: unknown) => {
      log.debug({ err }, 'a person could not be signed in to an ERP instance');
    });
    // The link has been used.
    if (!cookies)
      return say(response, 502, 'Odoo does not sign you in now: open it again from its task.');
    const own = `${cookieName(secure)}=${visit.session}; Path=/; HttpOnly; SameSite=Lax`;
    response
      .writeHead(303, {
        location: '/web',
        'set-cookie': [...ownCookies(cookies), secure ? `${own}; Secure` : own],
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      .end();
  }

  async function pass(id: string, incoming: IncomingMessage, response: ServerResponse) {
    const url = await driver.url(id);
    if (url === undefined) return say(response, 502, 'This Odoo is not reached from here.');
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    const asked = request(url, {
      path: incoming.url,
      method: incoming.method ?? 'GET',
      headers: requestHeaders(incoming, secure),
      // Each has a connection of its own: no answer is ever taken for that of someone else.
      agent: false,
      signal: ending.signal,
      timeout: ANSWER_MS,
    });
    asked.once('timeout', () => asked.destroy(new Error('Odoo does not answer')));
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    answered.catch(() => undefined);
    // One that comes after its answer is not waited for.
    asked.on('error', () => undefined);
    const body = afterReading();
    incoming.pipe(body).pipe(asked);
    const [got] = await answered;
    const status = got.statusCode ?? 502;
    // It may refuse a body without reading all of it.
    if (status >= 300) {
      body.unpipe();
      incoming.unpipe().resume();
    }
    response.writeHead(status, answerHeaders(got.headers));
    await pipeline(got, response);
  }

  /** The bus of Odoo is a WebSocket, which ends as soon as its person may not pass any more. */
  async function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const id = idOf(incoming);
    const session = cookieOf(incoming.headers.cookie, secure);
    if (incoming.headers.upgrade?.toLowerCase() !== 'websocket') {
      return refuseUpgrade(socket, '400 Bad Request', lingerFor);
    }
    const url = id !== undefined && (await mayPass(id, session)) ? await driver.url(id) : undefined;
    if (id === undefined || url === undefined) {
      return refuseUpgrade(socket, '401 Unauthorized', lingerFor);
    }
    connections.of(incoming.socket)?.prove();
    const headers = { ...requestHeaders(incoming, secure), connection: 'Upgrade' };
    // What follows is no body.
    delete headers['content-length'];
    const asked = request(url, {
      path: incoming.url,
      headers: { ...headers, upgrade: 'websocket' },
    });
    asked.end();
    asked.once('response', (got) => {
      got.resume();
      refuseUpgrade(socket, '502 Bad Gateway', lingerFor);
    });
    asked.once('error', () => socket.destroy());
    socket.once('close', () => asked.destroy());
    asked.once('upgrade', (got, upstream, first) => {
      const lines = Object.entries(answerHeaders(got.headers)).flatMap(([name, value]) =>
        [value].flat().map((each) => `${name}: ${each}`),
      );
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join('\r\n')}\r\n\r\n`,
      );
      if (head.length > 0) upstream.write(head);
      if (first.length > 0) socket.write(first);
      const stop = whileVisiting(id, session, () => socket.destroy());
      socket.once('close', () => {
        stop();
        upstream.destroy();
      });
      upstream.on('error', () => socket.destroy()).once('close', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    });
  }

  const limits = {
    requestTimeout: ANSWER_MS,
    headersTimeout: headerWithin,
    connectionsCheckingInterval: headerWithin / 5,
  };
  const server = createServer(limits, (incoming, response) => {
    if (!connections.begin(incoming, response)) return;
    lingerAfter(incoming, response, lingerFor);
    answer(incoming, response).catch((err: unknown) => {
      log.debug({ err }, 'a request of a person to an ERP instance failed');
      if (response.headersSent) response.destroy();
      else say(response, 502, 'This Odoo does not answer now: try again.');
    });
  });
  connections.guard(server);
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (incoming, socket, head) => {
    upgraded.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => upgraded.delete(socket));
    upgrade(incoming, socket, head).catch(() => socket.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      connections.close();
      server.close();
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}

const idOf = ({ headers }: IncomingMessage): string | undefined =>
  ID.exec(headers.host?.toLowerCase() ?? '')?.[1];

const CLOSED = 'Open this Odoo on the page of its task: its link signs you in, once.';

/** A stranger keeps no connection, unless more of the request is still to be read. */
function say(response: ServerResponse, status: number, sentence: string): void {
  const { complete, headers } = response.req;
  const read = complete || !('content-length' in headers || 'transfer-encoding' in headers);
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...(read && { connection: 'close' }),
    })
    .end(`${sentence}\n`);
}
