import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { noAnswer, notOurs } from './answers.ts';
import { GuildhallError } from './error.ts';
import type { Asked } from './request.ts';
import { backOff, sleep } from './retry.ts';
import type { Transport } from './transport.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** The server sends something every 15 s: after three times that, the connection is gone. */
const SILENCE_MS = 45_000;

export interface StreamOptions {
  /** Ends the stream: the loop then throws the reason of the signal. `break` ends it, too. */
  signal?: AbortSignal | undefined;
  /** After how many milliseconds without a byte a connection is given up; 45 000 unless given. */
  silence?: number;
  /** Called when a connection is open, and when one is lost, with the reason if there is one. */
  onConnection?: (state: 'open' | 'lost', reason?: GuildhallError) => void;
  /**
   * Called when events have been deleted: the next one is this, the first that is still kept. A
   * stream of what changes has no numbers: it says that what it is about is to be read again.
   */
  onReset?: (firstSeq: number | undefined) => void;
  headers?: Record<string, string>;
}

/** What a connection leaves to the next one. */
interface Position {
  lastId: string;
  /** How long the server asks to wait before the next connection, in milliseconds. */
  retry: number;
  /** There is nothing more to come. */
  over: boolean;
}

/**
 * The events of a stream, each once and in order. A connection that breaks is opened again after the
 * last event that was received, for as long as it takes. It ends when the server has nothing more to
 * send (204), and throws when the answer is final: 401, 403, 404, or what is wrong with the request.
 */
export async function* follow(
  transport: Transport,
  asked: Asked,
  options: StreamOptions,
): AsyncGenerator<unknown, void, undefined> {
  const { signal, silence = SILENCE_MS, onConnection, onReset } = options;
  const position: Position = { lastId: '', retry: FIRST_WAIT_MS, over: false };
  for (let failed = 0; ; failed++) {
    const openedAt = performance.now();
    let reason: GuildhallError | undefined;
    try {
      const opened = () => onConnection?.('open');
      const messages = connect(transport, asked, { position, silence, signal, opened });
      for await (const { id, event, data } of messages) {
        failed = 0;
        if (id !== undefined) position.lastId = id;
        if (event === 'reset') onReset?.(JSON.parse(data).first_seq);
        else yield JSON.parse(data);
      }
    } catch (error) {
      if (!(error instanceof GuildhallError) || isFinal(error)) throw error;
      reason = error;
    }
    if (position.over) return;
    onConnection?.('lost', reason);
    // A stream in which nothing happens for an hour has not failed.
    if (performance.now() - openedAt > silence) failed = 0;
    const wait = backOff(failed, position.retry, LONGEST_WAIT_MS);
    await sleep(Math.max(wait, reason?.retryAfter ?? 0), signal);
  }
}

const isFinal = ({ status }: GuildhallError): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

interface Connecting {
  position: Position;
  silence: number;
  signal: AbortSignal | undefined;
  opened: () => void;
}

/** The messages of one connection, until it ends, is silent for too long, or is left. */
async function* connect(
  transport: Transport,
  asked: Asked,
  { position, silence, signal, opened }: Connecting,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silent = false;
  /** Whoever takes long over an event is no silence of the server: this counts while we wait. */
  const within = async <Result>(work: Promise<Result>): Promise<Result> => {
    timer = setTimeout(() => {
      silent = true;
      end();
    }, silence);
    return work.finally(() => clearTimeout(timer));
  };
  try {
    const response = await within(transport.open(resuming(asked, position), ending.signal));
    position.over = response.status === 204;
    if (position.over) return;
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) throw notOurs(response, asked);
    opened();
    const arrived: EventSourceMessage[] = [];
    const parser = createParser({
      onEvent: (message) => arrived.push(message),
      onRetry: (retry) => {
        position.retry = retry;
      },
    });
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (;;) {
      const { done, value } = await within(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GuildhallError && !silent) throw error;
    throw noAnswer(error, asked, silent ? silence : undefined);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

function resuming(asked: Asked, { lastId }: Position): Asked {
  const headers: Record<string, string> = {
    ...asked.options.headers,
    accept: 'text/event-stream',
  };
  if (lastId !== '') headers['last-event-id'] = lastId;
  return { ...asked, options: { headers } };
}
