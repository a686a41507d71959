import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setInterval as interval, setTimeout as pause } from 'node:timers/promises';

/** A server-sent event (HTML standard). `data` is JSON text. */
export interface ServerEvent {
  id?: string;
  event?: string;
  data: string;
}

/** The open event streams. They hold no request slot, and are the first to end at shutdown. */
export interface EventStreams {
  /**
   * The body of an answer: a frame per event, and comments in between to keep the connection alive.
   * It ends when `mayRead`, which is called with the period of the comments, returns false.
   */
  open(events: AsyncIterable<ServerEvent>, mayRead: () => Promise<boolean>): Readable;
  /** Tells every reader when to reconnect, and ends. Later streams end immediately. */
  close(): void;
  count(): number;
}

/** Milliseconds. */
interface Timing {
  heartbeat?: number;
  /** The lifetime of a stream; afterwards a reader reconnects with the id of its last event. */
  life?: number;
  /** When readers reconnect after the server has ended their stream. */
  retry?: number;
}

export function eventStreams({
  heartbeat = 15_000,
  life = 3_600_000,
  retry = 1_000,
}: Timing = {}): EventStreams {
  const ending = new AbortController();
  let count = 0;

  async function* frames(
    events: AsyncIterable<ServerEvent>,
    mayRead: () => Promise<boolean>,
  ): AsyncGenerator<string, void> {
    const iterator = events[Symbol.asyncIterator]();
    const end = new AbortController();
    const options = { signal: end.signal, ref: false };
    const ended = Promise.race([
      once(ending.signal, 'abort', options).then(() => ENDED),
      pause(life, ENDED, options),
      untilRefused(mayRead, options).then(() => REFUSED),
    ]).catch(() => ENDED);
    count++;
    try {
      yield ':\n\n';
      let next = iterator.next();
      for (;;) {
        const beat = new AbortController();
        const silence = pause(heartbeat, SILENT, { signal: beat.signal, ref: false });
        silence.catch(() => {});
        const first = ending.signal.aborted ? ENDED : await Promise.race([ended, next, silence]);
        beat.abort();
        if (first === ENDED) return yield `retry: ${retry}\n\n`;
        if (first === SILENT) yield ':\n\n';
        else if (typeof first === 'string' || first.done) return;
        else {
          yield frame(first.value);
          next = iterator.next();
        }
      }
    } finally {
      count--;
      end.abort();
      iterator.return?.()?.catch(() => {});
    }
  }

  async function untilRefused(mayRead: () => Promise<boolean>, options: object): Promise<void> {
    for await (const _ of interval(heartbeat, undefined, options)) if (!(await mayRead())) return;
  }

  return {
    open: (events, mayRead) => Readable.from(frames(events, mayRead), { highWaterMark: 16 }),
    close: () => ending.abort(),
    count: () => count,
  };
}

const ENDED = 'ended';
const SILENT = 'silent';
/** The reader may no longer read: the stream ends without a hint when to reconnect. */
const REFUSED = 'refused';

function frame({ id, event, data }: ServerEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
