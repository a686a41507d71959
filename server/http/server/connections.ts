import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressMatcher, networkOf } from './client-network.ts';
import { Connection, type Exchange, now } from './connection.ts';

/**
 * `sendTimeout`: how long a client may leave its response unread. `requestTimeout`: how long the rest of a
 * request may take after its headers, unless its reader watches that it goes on; where the server of
 * these connections has such a limit itself, there is none here. Both in milliseconds.
 */
export interface ConnectionLimits {
  total: number;
  /** Per client address, or per /64 network of IPv6. Only the total applies to trusted proxies. */
  perAddress: number;
  sendTimeout: number;
  requestTimeout?: number;
  trustedProxies: readonly string[];
}

/** Why the server ended a connection early. */
const CUT_REASONS = ['limit', 'refused', 'not_reading', 'pipelining'] as const;
type CutReason = (typeof CUT_REASONS)[number];

const CHECK_EVERY_MS = 500;
/** How long the server counts as full after it has refused a connection. */
const FULL_FOR_MS = 5_000;
/** Requests without a response on one connection. Hardly any client sends even two. */
const MAX_PIPELINED = 8;

/**
 * The connections of a server. At a limit, a new connection replaces the least useful one: first
 * those without a confirmed credential that wait for their client, oldest first, then idle ones
 * with a confirmed credential. If there are neither, the new connection is refused.
 */
export class Connections {
  readonly cuts = new Map<CutReason, number>(CUT_REASONS.map((reason) => [reason, 0]));
  readonly #limits: ConnectionLimits;
  readonly #isProxy: (address: string) => boolean;
  readonly #all = new Set<Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #timer: NodeJS.Timeout;
  #server: Server | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#isProxy = addressMatcher(limits.trustedProxies);
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): SetIterator<Connection> {
    return this.#all.values();
  }

  of(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  /** Whether it has just refused a connection because all of them were in use. */
  isFull(): boolean {
    return now() - this.#refusedAt < FULL_FOR_MS;
  }

  /** Counts every connection of a server, before anything else happens on it. */
  guard(server: Server): Server {
    this.#server = server;
    return server.prependListener('connection', (socket: Socket) => this.#admit(socket));
  }

  /**
   * Records a request. Returns false if its connection is closed, so that there is no one to
   * answer.
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.of(request.socket);
    if (connection === undefined) return !request.socket.destroyed;
    if (connection.exchanges.size >= MAX_PIPELINED) {
      this.cut(connection, 'pipelining');
      return false;
    }
    connection.begin(request, response);
    return true;
  }

  /** The exchange of a request whose response has not been sent completely. */
  exchange(request: IncomingMessage): Exchange | undefined {
    const connection = this.of(request.socket);
    if (connection?.latest?.request === request) return connection.latest;
    return connection?.exchanges.values().find((exchange) => exchange.request === request);
  }

  /** Closes a connection at once, whatever it is being used for. */
  end(connection: Connection): void {
    connection.cut();
    this.#forget(connection);
  }

  /** Does the same, and counts the reason. */
  cut(connection: Connection, reason: CutReason): void {
    this.cuts.set(reason, (this.cuts.get(reason) as number) + 1);
    this.end(connection);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #admit(socket: Socket): void {
    // Unknown if the client has disconnected already.
    const { remoteAddress = '' } = socket;
    const network = this.#isProxy(remoteAddress) ? undefined : networkOf(remoteAddress);
    const connection = new Connection(socket, network);
    const { total, perAddress } = this.#limits;
    const neighbours = (network && this.#byNetwork.get(network)) || new Set();
    const fits = neighbours.size < perAddress || this.#shed(neighbours);
    const room = fits && (this.#all.size < total || this.#shed(this.#all));
    if (fits && !room) this.#refusedAt = now();
    if (!room) {
      this.cut(connection, 'refused');
      return;
    }
    this.#all.add(connection);
    if (network !== undefined) this.#byNetwork.set(network, neighbours.add(connection));
    this.#bySocket.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
  }

  #shed(candidates: Iterable<Connection>): boolean {
    let victim: Connection | undefined;
    for (const connection of candidates) {
      // Most often the first one is it: the others, hundreds in a flood, cost one comparison each.
      if (victim?.proven === false && connection.since >= victim.since) continue;
      if (!connection.waitsForClient) continue;
      if (connection.proven && connection.exchanges.size > 0) continue;
      if (victim === undefined || isCheaper(connection, victim)) victim = connection;
    }
    if (victim === undefined) return false;
    this.cut(victim, 'limit');
    return true;
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const neighbours = this.#byNetwork.get(connection.network ?? '');
    neighbours?.delete(connection);
    if (neighbours?.size === 0) this.#byNetwork.delete(connection.network as string);
    this.#bySocket.delete(connection.socket);
    connection.end();
  }

  #check(): void {
    const at = now();
    const { sendTimeout, requestTimeout = Number.POSITIVE_INFINITY } = this.#limits;
    for (const connection of this.#all) {
      const fault = connection.check(at, sendTimeout);
      if (fault === 'not_reading') this.cut(connection, fault);
      else if (fault !== undefined) this.end(connection);
      else if (connection.becomesLate(at, requestTimeout))
        this.#server?.emit('clientError', tooSlow(), connection.socket);
    }
  }
}

/** As Node would say it, which has one limit for all requests. */
const tooSlow = () =>
  Object.assign(new Error('a request did not arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

function isCheaper(connection: Connection, than: Connection): boolean {
  if (connection.proven !== than.proven) return than.proven;
  return connection.since < than.since;
}
