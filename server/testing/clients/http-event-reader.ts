import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds after which a reader leaves a call by itself. */
const LONGEST = 600;

interface ReaderOptions {
  /** The servers, of which each call takes any. */
  urls: string[];
  taskId: string;
  key: string;
  slow: boolean;
}

interface Event {
  seq: number;
  payload: unknown;
}

const anyOf = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value;

/** Whether a call ended because its connection did, or because its reader has left. */
const isBroken = (error: unknown): boolean =>
  (error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message)) ||
  (error as Error).name === 'TimeoutError';

/**
 * Reads the events of a task over HTTP: as a stream, in pages and in long polls, one after the
 * other in any order, each continuing where the one before was broken off.
 */
export class EventLogReader {
  readonly taskId: string;
  /** The payloads of what it got, as JSON. */
  readonly payloads: string[] = [];
  /** The first event that was not the next one, or an answer that no reader should get. */
  fault: Error | undefined;
  calls = 0;
  broken = 0;
  /** How many events came in streams; the others came in pages. */
  streamed = 0;
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.taskId = options.taskId;
    this.#options = options;
  }

  /** Until `over`, or a fault. */
  async read(over: () => boolean): Promise<void> {
    while (!over() && this.fault === undefined) {
      this.calls++;
      try {
        await anyOf([
          () => this.#stream(),
          () => this.#stream(),
          () => this.#pages(),
          () => this.#poll(),
        ])();
      } catch (error) {
        if (isBroken(error)) this.broken++;
        else this.fault = error as Error;
        await pause(Math.random() * 50);
      }
      if (this.#options.slow) await pause(Math.random() * 200);
    }
  }

  async #stream(): Promise<void> {
    const position = String(this.payloads.length);
    // The header takes precedence over the query.
    const [query, headers] = anyOf([
      [`?after=${position}`, {}],
      ['', { 'last-event-id': position }],
      ['?after=0', { 'last-event-id': position }],
    ]);
    const leave = AbortSignal.timeout(50 + Math.round(Math.random() * LONGEST));
    const reply = await this.#ask(query, { accept: 'text/event-stream', ...headers }, leave);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of reply.body as ReadableStream<Uint8Array>) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      // What a cut leaves of a frame is dropped, as every client of such streams does it.
      rest = parts.pop() as string;
      for (const part of parts) this.#frame(part);
      if (this.#options.slow) await pause(Math.random() * 60);
    }
  }

  #frame(part: string): void {
    const [, id, data] = /^id: (\d+)\nevent: \w+\ndata: (.*)$/.exec(part) ?? [];
    if (id === undefined) {
      assert.match(part, /^(:|retry: \d+)$/);
      return;
    }
    const event: Event = JSON.parse(data as string);
    assert.equal(event.seq, Number(id));
    this.streamed++;
    this.#take(event);
  }

  async #pages(): Promise<void> {
    let next: string | undefined = `?after=${this.payloads.length}&limit=${anyOf([1, 7, 50, 200])}`;
    for (let pages = 0; next !== undefined && pages < 5; pages++) {
      const reply: Response = await this.#ask(next);
      for (const event of (await reply.json()) as Event[]) this.#take(event);
      next = /^<[^?]+(\?[^>]+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
    }
  }

  async #poll(): Promise<void> {
    const reply = await this.#ask(`?after=${this.payloads.length}&wait=1`);
    for (const event of (await reply.json()) as Event[]) this.#take(event);
  }

  #take({ seq, payload }: Event): void {
    assert.equal(seq, this.payloads.length + 1, 'an event is missing, repeated or out of order');
    this.payloads.push(JSON.stringify(payload));
  }

  async #ask(query: string, headers = {}, signal = AbortSignal.timeout(20_000)): Promise<Response> {
    const { urls, key, taskId } = this.#options;
    const url = new URL(`/api/tasks/${taskId}/events${query}`, anyOf(urls));
    const reply = await fetch(url, {
      signal,
      headers: { authorization: `Bearer ${key}`, connection: 'close', ...headers },
    });
    // A server that ends may answer so; nothing else is an answer for a reader.
    if (reply.status === 503) throw new TypeError('terminated');
    assert.equal(reply.status, 200, `${url}: ${reply.status}`);
    return reply;
  }
}
