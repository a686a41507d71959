import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begun: number;
  /** Whether its credential has been proven. */
  proven?: () => boolean;
  /** Called once, when the response is complete or the connection is gone. */
  onEnd?: () => void;
}

/** Milliseconds on a clock that is never set. */
export const now = (): number => performance.now();

/** A client that takes less than this in SEND_TIMEOUT_MS counts as one that does not read. */
const LEAST_PROGRESS_BYTES = 4096;
/** How long a client may take to close a connection that the server has closed. */
const CLOSING_GRACE_MS = 1_000;
/** How long a client that has proven nothing may keep a connection between two requests. */
const UNPROVEN_IDLE_MS = 10_000;

/** One open connection of a client, and what its socket is doing. */
export class Connection {
  readonly socket: Socket;
  /** What it is counted by; undefined for a trusted proxy, which speaks for many clients. */
  readonly network: string | undefined;
  /** What is not answered in full yet. */
  readonly exchanges = new Set<Exchange>();
  /** The last one that began. */
  latest: Exchange | undefined;
  /** When it was opened or last answered in full: since then the next request is awaited. */
  since = now();
  /** How many requests were answered in full. */
  answered = 0;
  #proven: boolean;
  #takenBytes = 0;
  #progressAt = now();
  #closingSince: number | undefined;

  constructor(socket: Socket, network: string | undefined) {
    this.socket = socket;
    this.network = network;
    this.#proven = network === undefined;
  }

  /** Begins an exchange, which ends with its response or with the connection. */
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

  /** Call it when the socket has closed: Node emits no event for responses that wait behind another one. */
  end(): void {
    for (const exchange of this.exchanges) this.#end(exchange, false);
  }

  /** A credential was proven on it, or it is a trusted proxy's. */
  get proven(): boolean {
    return this.#proven || this.exchanges.values().some(({ proven }) => proven?.() === true);
  }

  /** It is the client's turn: to send a request or the rest of one, or to read. Nothing is worked on. */
  get waitsForClient(): boolean {
    if (this.exchanges.size === 0 || this.socket.writableLength > 0) return true;
    return this.exchanges.values().some(({ request }) => !request.complete);
  }

  /** For how many milliseconds the client has taken hardly anything of what waits to be sent. */
  stalledFor(at: number): number {
    return this.socket.writableLength > 0 ? at - this.#progressAt : 0;
  }

  /** Looks at the socket, as is to be done twice a second: why it is to be cut, if it is. */
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
   * Ends it at once. What a client that was answered has not received yet is still delivered by the operating system;
   * otherwise nothing is left there either, such as a socket that waits for the other side to close.
   */
  cut(): void {
    const { socket } = this;
    const lingering = this.answered > 0 && socket.writableLength === 0 && !socket.writableEnded;
    // A socket whose end is still being sent cannot be reset.
    if (lingering || (socket.writableEnded && !socket.writableFinished)) socket.destroy();
    else socket.resetAndDestroy();
  }
}

type Handle = { bytesWritten: number; writeQueueSize: number } | null | undefined;

/** How many bytes the operating system has taken from a socket. Node itself measures progress by this handle. */
function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: Handle };
  return handle?.writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : handle.bytesWritten - handle.writeQueueSize;
}
