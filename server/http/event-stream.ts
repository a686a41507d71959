import type { Writable } from 'node:stream';
import { apiError, fieldError } from './errors.ts';
import { overloaded } from './server/overload.ts';

/** Where the events of one stream come from: server-sent events (HTML standard), as bytes. */
export interface EventSource {
  /** Called once, before the rest. `wake` is called whenever `next` may have more. */
  start(wake: () => void): void;
  /** The next frames, each whole, about 64 KB of them; undefined while there are none. */
  next(): Buffer | undefined;
  /** Called once at the end. */
  stop(): void;
}

/** Whose stream it is, and what tells whether they may still read it. */
export interface Viewer<Permit> {
  userId: string;
  permit: Permit;
}

/**
 * The open event streams of a process. They hold no request slot, and are the first to end at
 * shutdown. `Permit` is what the question whether a stream may go on takes.
 */
export interface EventStreams<Permit> {
  /**
   * Writes the frames of a source to the body of an answer, and comments in between to keep the
   * connection alive, until one of them ends. `answer` is called once the stream is admitted.
   * Throws without having called it or started the source: 429 too_many_streams, 503 overloaded.
   */
  open(source: EventSource, viewer: Viewer<Permit>, answer: () => Writable): void;
  /**
   * Counts something else that lasts, such as a long poll, as one of the streams. `work` gets a
   * signal that ends it early. Errors: as those of `open`.
   */
  hold<Result>(userId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Tells every reader when to reconnect, and ends. Later streams end immediately. */
  close(): void;
  count(): number;
  /** How many streams have ended, and why. */
  readonly ends: ReadonlyMap<StreamEnd, number>;
}

/**
 * Why a stream ended: `closed` by its reader, who was too `slow`, who may not read any more
 * (`refused`), after its lifetime (`expired`), or by the end of the server (`shutdown`).
 */
const STREAM_ENDS = ['closed', 'slow', 'refused', 'expired', 'shutdown'] as const;
type StreamEnd = (typeof STREAM_ENDS)[number];

/** Milliseconds, and the limits of a process. */
interface StreamOptions {
  heartbeat?: number;
  /** The lifetime of a stream; afterwards a reader reconnects with the id of its last event. */
  life?: number;
  /** When readers reconnect after the server has ended their stream. */
  retry?: number;
  /** How long a reader may take nothing of what waits for it. */
  stall?: number;
  /** How often it is checked whether the readers of all streams may still read. */
  recheck?: number;
  /** Whose rights may have ended lately: their streams are checked at each poll. */
  revoked?: () => Promise<ReadonlySet<string>>;
  /** How often all of these are checked. */
  poll?: number;
  limit?: number;
  limitPerUser?: number;
}

/** The defaults: milliseconds, and streams of a process and of one user in it. */
export const STREAM_LIMITS = {
  life: 3_600_000,
  stall: 30_000,
  limit: 5_000,
  limitPerUser: 200,
};

/** The limit of one user. */
export const tooManyStreams = apiError(
  429,
  'too_many_streams',
  'You have too many event streams open: close one, then try again',
  { 'retry-after': '5' },
);

export const lastEventIdInvalid = fieldError(
  'last_event_id_invalid',
  ['header', 'Last-Event-ID'],
  'Last-Event-ID should be the id of an event of this stream',
);

/** Whether the answer to a request is to be a stream. */
export const asksForEvents = ({ accept = '' }: { accept?: string | undefined }): boolean =>
  /\btext\/event-stream\b/i.test(accept);

const COMMENT = Buffer.from(':\n\n');

/**
 * `mayRead` tells of all open streams at once which may go on; when it fails, all do. A stream that
 * may not ends without a word, so that nothing tells its reader to come back.
 */
export function eventStreams<Permit>(
  mayRead: (permits: readonly Permit[]) => Promise<readonly boolean[]>,
  {
    heartbeat = 15_000,
    life = STREAM_LIMITS.life,
    retry = 1_000,
    stall = STREAM_LIMITS.stall,
    recheck = 30_000,
    revoked = async () => new Set(),
    poll = Math.min(1_000, heartbeat, life, stall, recheck),
    limit = STREAM_LIMITS.limit,
    limitPerUser = STREAM_LIMITS.limitPerUser,
  }: StreamOptions = {},
): EventStreams<Permit> {
  const streams = new Set<Stream<Permit>>();
  const users = new Map<string, number>();
  const ends = new Map<StreamEnd, number>(STREAM_ENDS.map((reason) => [reason, 0]));
  /** Each has a signal of its own: one for all would keep whatever once listened to it. */
  const held = new Set<AbortController>();
  const goodbye = Buffer.from(`retry: ${retry}\n\n`);
  let total = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = performance.now();
  let checking = false;

  function enter(userId: string): () => void {
    const own = users.get(userId) ?? 0;
    if (own >= limitPerUser) throw tooManyStreams();
    if (total >= limit) throw overloaded();
    total++;
    users.set(userId, own + 1);
    return () => {
      total--;
      const left = (users.get(userId) as number) - 1;
      if (left === 0) users.delete(userId);
      else users.set(userId, left);
    };
  }

  // One timer for all streams: a timer of each would cost more than the streams.
  function checkStreams(): void {
    const now = performance.now();
    for (const stream of streams) {
      if (now - stream.begun >= life) stream.finish('expired', goodbye);
      else if (now - stream.stalledSince >= stall) stream.breakOff('slow');
      else if (now - stream.wroteAt >= heartbeat) stream.write(COMMENT);
    }
    if (!checking && streams.size > 0) endRefused(now - checkedAt >= recheck);
    if (streams.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  // At most one question at a time, whatever the number of streams and revocations.
  async function endRefused(all: boolean): Promise<void> {
    checking = true;
    if (all) checkedAt = performance.now();
    try {
      const users = all ? undefined : await revoked();
      const asked = [...streams].filter(({ userId }) => users?.has(userId) ?? true);
      if (asked.length === 0) return;
      const allowed = await mayRead(asked.map(({ permit }) => permit));
      asked.forEach((stream, index) => {
        if (allowed[index] === false) stream.finish('refused');
      });
    } catch {
      // A database that cannot be asked changes nothing.
    } finally {
      checking = false;
    }
  }

  return {
    open: (source, { userId, permit }, answer) => {
      const leave = enter(userId);
      const stream = new Stream(source, { userId, permit }, answer(), (reason) => {
        streams.delete(stream);
        ends.set(reason, (ends.get(reason) as number) + 1);
        leave();
      });
      streams.add(stream);
      stream.begin();
      if (closed) stream.finish('shutdown', goodbye);
      timer ??= setInterval(checkStreams, poll).unref();
    },
    hold: async (userId, work) => {
      const leave = enter(userId);
      const ending = new AbortController();
      held.add(ending);
      if (closed) ending.abort();
      try {
        return await work(ending.signal);
      } finally {
        held.delete(ending);
        leave();
      }
    },
    close: () => {
      closed = true;
      for (const ending of held) ending.abort();
      for (const stream of streams) stream.finish('shutdown', goodbye);
    },
    count: () => total,
    ends,
  };
}

/**
 * One stream, which takes from its source only what its reader takes from it. It writes to the
 * answer itself: a Readable and its pipe in between took a third of the memory of an open stream.
 */
class Stream<Permit> {
  readonly userId: string;
  readonly permit: Permit;
  readonly begun = performance.now();
  wroteAt = this.begun;
  /** Since when its reader keeps it waiting, in milliseconds; infinite while it does not. */
  stalledSince = Number.POSITIVE_INFINITY;
  readonly #source: EventSource;
  readonly #to: Writable;
  readonly #onEnd: (reason: StreamEnd) => void;
  #over = false;

  constructor(
    source: EventSource,
    { userId, permit }: Viewer<Permit>,
    to: Writable,
    onEnd: (reason: StreamEnd) => void,
  ) {
    this.#source = source;
    this.userId = userId;
    this.permit = permit;
    this.#to = to;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.#to.once('close', () => this.#end('closed'));
    // Its reader may have left while their rights were checked.
    if (this.#to.destroyed) {
      this.#end('closed');
      return;
    }
    this.#to.on('drain', () => {
      this.stalledSince = Number.POSITIVE_INFINITY;
      this.#pull();
    });
    this.#push(COMMENT);
    this.#source.start(() => this.#pull());
    this.#pull();
  }

  /** Sends this between two events, unless its reader has not even taken those before. */
  write(bytes: Buffer): void {
    this.wroteAt = performance.now();
    if (this.#wanted) this.#push(bytes);
  }

  /** Ends the stream after what it holds already, and this. */
  finish(reason: StreamEnd, last?: Buffer): void {
    if (this.#over) return;
    this.#end(reason);
    this.#to.end(last);
  }

  /** Ends the stream although its reader has not taken what it holds. */
  breakOff(reason: StreamEnd): void {
    this.#end(reason);
    this.#to.destroy();
  }

  #end(reason: StreamEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#source.stop();
    this.#onEnd(reason);
  }

  get #wanted(): boolean {
    return !this.#over && this.stalledSince === Number.POSITIVE_INFINITY;
  }

  #pull(): void {
    while (this.#wanted) {
      const bytes = this.#source.next();
      if (bytes === undefined) return;
      this.#push(bytes);
    }
  }

  #push(bytes: Buffer): void {
    this.wroteAt = performance.now();
    if (!this.#to.write(bytes)) this.stalledSince = this.wroteAt;
  }
}
