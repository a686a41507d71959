import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { watchedUntil } from '../steady-body.ts';

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begun: number;
  /** Whether the database has confirmed its credential. */
  proven?: () => boolean;
  /** Called once, when the response has been sent or the connection is gone. */
  onEnd?: () => void;
}

/** Milliseconds, from a clock that never jumps. */
export const now = (): number => performance.now();

/** A client that receives less than this within SEND_TIMEOUT_MS is not reading. */
const LEAST_PROGRESS_BYTES = 4096;
/** How long a client may take to close a connection after the server has closed its side. */
const CLOSING_GRACE_MS = 1_000;
/** How long a connection without a confirmed credential may be idle between two requests. */
const UNPROVEN_IDLE_MS = 10_000;

/** One open connection, and what it is being used for. */
export class Connection {
  readonly socket: Socket;
  /**
   * The address or network it counts towards; undefined for a trusted proxy, which serves many
   * clients.
   */
  readonly network: string | undefined;
  /** The exchanges whose response has not been sent completely. */
  readonly exchanges = new Set<Exchange>();
  /** The exchange that began last, whether or not it has ended. */
  latest: Exchange | undefined;
  /** When it was opened, or its last response was sent: since then it has waited for a request. */
  since = now();
  /** How many responses have been sent completely. */
  answered = 0;
  #proven: boolean;
  #takenBytes = 0;
  #progressAt = now();
  #closingSince: number | undefined;
  #late = false;

  constructor(socket: Socket, network: string | undefined) {
    this.socket = socket;
    this.network = network;
    this.#proven = network === undefined;
  }

  /** Records an exchange until its response has been sent or the connection closes. */
  begin(request: IncomingMessage, response: ServerResponse): Exchange {
    const exchange: Exchange = { request, response, begun: now() };
    this.exchanges.add(exchange);
    this.latest = exchange;
    response.once('close', () => this.#end(exchange, response.writableFinished));
    return exchange;
  }

  #end(exchange: Exchange, answered: boolean): void {
    if (!this.exchanges.delete(exchange)) return;
    this.#proven ||= exchange.proven?.() === true;
    if (answered) this.answered++;
    this.since = now();
    exchange.onEnd?.();
  }

  /**
   * Ends all exchanges once the socket is closed. Node emits no event for responses queued behind
   * another.
   */
  end(): void {
    for (const exchange of this.exchanges) this.#end(exchange, false);
  }

  /** A credential was confirmed on it, also where no exchange says so: as of a WebSocket. */
  prove(): void {
    this.#proven = true;
  }

  /** A credential was confirmed on it, or it belongs to a trusted proxy. */
  get proven(): boolean {
    return this.#proven || this.exchanges.values().some(({ proven }) => proven?.() === true);
  }

  /**
   * The server waits for the client: to send a request or the rest of one, or to read its response.
   */
  get waitsForClient(): boolean {
    if (this.exchanges.size === 0 || this.socket.writableLength > 0) return true;
    return this.exchanges.values().some(({ request }) => !request.complete);
  }

  /**
   * For how many milliseconds the client has read next to nothing although there is something to
   * read.
   */
  stalledFor(at: number): number {
    return this.socket.writableLength > 0 ? at - this.#progressAt : 0;
  }

  /**
   * Whether the rest of its last request has not come within this time, in milliseconds. True once:
   * whatever comes then does not become a request. A body that its reader has watched counts
   * from then on: what is made of it takes a while, too.
   */
  becomesLate(at: number, requestTimeout: number): boolean {
    const { latest } = this;
    if (this.#late || latest === undefined || latest.request.complete) return false;
    const watched = this.exchanges.has(latest) ? watchedUntil(latest.request) : 0;
    this.#late = at - Math.max(latest.begun, watched) >= requestTimeout;
    return this.#late;
  }

  /** Returns the reason to end this connection, if there is one. To be called twice a second. */
  check(at: number, sendTimeout: number): 'not_reading' | 'not_closing' | 'idle' | undefined {
    const { socket } = this;
    const taken = takenBytes(socket);
    if (socket.writableLength === 0 || taken >= this.#takenBytes + LEAST_PROGRESS_BYTES) {
      this.#takenBytes = taken;
      this.#progressAt = at;
    }
    if (this.stalledFor(at) >= sendTimeout) return 'not_reading';
    if (socket.writableFinished) {
      this.#closingSince ??= at;
      return at - this.#closingSince >= CLOSING_GRACE_MS ? 'not_closing' : undefined;
    }
    const idle = this.answered > 0 && this.exchanges.size === 0 && !this.proven;
    return idle && at - this.since >= UNPROVEN_IDLE_MS ? 'idle' : undefined;
  }

  /**
   * Closes it at once. If the client has received a response, the operating system still delivers
   * the rest of it. Otherwise the connection is reset, so that no socket is left waiting for the
   * client to close its side.
   */
  cut(): void {
    const { socket } = this;
    const lingering = this.answered > 0 && socket.writableLength === 0 && !socket.writableEnded;
    // While its end is being sent, a socket cannot be reset.
    if (lingering || (socket.writableEnded && !socket.writableFinished)) socket.destroy();
    else socket.resetAndDestroy();
  }
}

type Handle = { bytesWritten: number; writeQueueSize: number } | null | undefined;

/**
 * How many bytes the operating system has accepted. Node measures the progress of writes the same
 * way.
 */
function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: Handle };
  return handle?.writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : handle.bytesWritten - handle.writeQueueSize;
}
