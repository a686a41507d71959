import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProxy } from '../database/proxy.ts';
import { type Served, serve } from '../harness/serve.ts';
import { until } from '../harness/until.ts';
import { EventLogReader } from './http-event-reader.ts';

const WRITER = join(import.meta.dirname, 'event-writer.ts');

interface Place {
  served: Served;
  proxy: Awaited<ReturnType<typeof startProxy>>;
}

/**
 * Two servers in processes of their own, each behind a proxy that is cut again and again, and
 * clients that read the events of tasks through them over HTTP, however they like.
 */
export class HttpEventTrial {
  readonly #databaseUrl: string;
  readonly #places: Place[];
  readonly #readers: EventLogReader[] = [];
  readonly #reading: Promise<void>[] = [];
  #over = false;

  private constructor(databaseUrl: string, places: Place[]) {
    this.#databaseUrl = databaseUrl;
    this.#places = places;
  }

  static async start(databaseUrl: string): Promise<HttpEventTrial> {
    const place = async (): Promise<Place> => {
      const served = await serve({ DATABASE_URL: databaseUrl });
      return { served, proxy: await startProxy(served.url) };
    };
    return new HttpEventTrial(databaseUrl, await Promise.all([place(), place()]));
  }

  /** Reads a task through changing servers until `verify`. */
  read(taskId: string, key: string, slow: boolean): void {
    const urls = this.#places.map(({ proxy }) => proxy.url);
    const reader = new EventLogReader({ urls, taskId, key, slow });
    this.#readers.push(reader);
    this.#reading.push(reader.read(() => this.#over));
  }

  /** Other processes write, each until it is killed without warning and the next one takes over. */
  async write(taskIds: string[], until: number): Promise<void> {
    for (let fence = 1; performance.now() < until; fence++) {
      const args = [WRITER, `writer${fence}`, String(fence), this.#databaseUrl, taskIds.join(',')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), exited]);
      await pause(300 + Math.random() * 700);
      child.kill('SIGKILL');
      await exited;
    }
  }

  /** Breaks all connections of one of the servers, again and again. */
  async cut(until: number): Promise<void> {
    while (performance.now() < until) {
      await pause(100 + Math.random() * 300);
      const { proxy } = this.#places[Math.random() < 0.5 ? 1 : 0] as Place;
      proxy.cut();
      await pause(Math.random() * 50);
      proxy.mend();
    }
  }

  /** Ends a server, and another one takes its place. */
  async replace(index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const place = this.#places[index] as Place;
    const exited = once(place.served.child, 'exit');
    place.served.child.kill(signal);
    await exited;
    place.served = await serve({ DATABASE_URL: this.#databaseUrl });
    place.proxy.lead(place.served.url);
  }

  /** Waits until every reader has what is stored, and compares. `stored`: JSON of each payload. */
  async verify(stored: Map<string, string[]>): Promise<string> {
    const all = (taskId: string) => stored.get(taskId) as string[];
    const complete = ({ taskId, payloads }: EventLogReader) =>
      payloads.length >= all(taskId).length;
    const fault = () => this.#readers.find(({ fault }) => fault !== undefined)?.fault;
    await until(
      'every reader has everything',
      () => fault() !== undefined || this.#readers.every(complete),
      120_000,
    );
    this.#over = true;
    await Promise.all(this.#reading);
    if (fault() !== undefined) throw fault();
    for (const { taskId, payloads } of this.#readers) assert.deepEqual(payloads, all(taskId));
    const sum = (count: (reader: EventLogReader) => number) =>
      this.#readers.reduce((total, reader) => total + count(reader), 0);
    const [events, streamed] = [sum(({ payloads }) => payloads.length), sum((one) => one.streamed)];
    assert.ok(streamed > 0 && streamed < events, `${streamed} of ${events} came in streams`);
    return (
      `${events} events, ${streamed} of them in streams, over ${sum(({ calls }) => calls)} calls; ` +
      `${sum(({ broken }) => broken)} broke off`
    );
  }

  async close(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#places.map(({ proxy }) => proxy.close()));
    await Promise.allSettled(this.#reading);
    for (const { served } of this.#places) served.child.kill('SIGKILL');
  }
}
