import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type EventStreams, eventStreams } from '../../http/event-stream.ts';
import { LostFence } from '../../tasks/events/event-log.ts';
import { type Feeds, openFeeds } from '../../tasks/events/feeds.ts';
import { type OpenedEventLog, openEventLog } from '../../tasks/events/open-event-log.ts';
import { TaskReader } from '../../tasks/events/reader.ts';

const WRITER = join(import.meta.dirname, 'event-writer.ts');

interface Server {
  log: OpenedEventLog;
  feeds: Feeds;
  streams: EventStreams<null>;
}

interface Reader {
  task: string;
  seqs: number[];
  payloads: string[];
}

const chance = (probability: number) => Math.random() < probability;

/** Two servers on one log, with readers that are cut and writers that are killed or replaced. */
export class EventTrial {
  readonly #url: string;
  readonly #servers: Server[];
  readonly #readers: Reader[] = [];
  readonly #reading: Promise<void>[] = [];
  /** By task: what writers were told to be stored, as `writer n`. */
  readonly #confirmed = new Map<string, Set<string>>();
  readonly #children = new Set<ChildProcess>();
  #connections = 0;
  #fault: Error | undefined;
  #over = false;

  constructor(url: string) {
    this.#url = url;
    this.#servers = [this.#open(), this.#open()];
  }

  // Half of the wakes are lost, and some questions to the database fail.
  #open(): Server {
    const log = openEventLog({ url: this.#url });
    const failing = async () => {
      if (chance(0.1)) throw new Error('lost');
    };
    const lossy: OpenedEventLog = {
      ...log,
      onAppended: (listener) =>
        log.onAppended((taskId, lastSeq) => chance(0.5) && listener(taskId, lastSeq)),
      lastSeqs: (ids) => failing().then(() => log.lastSeqs(ids.filter(() => chance(0.7)))),
      readTasks: (tasks, span) => failing().then(() => log.readTasks(tasks, span)),
    };
    const streams = eventStreams(async (permits: readonly null[]) => permits.map(() => true));
    return { log, feeds: openFeeds(lossy), streams };
  }

  /** Reads a task on changing servers, until `verify`. */
  read(task: string, { slow }: { slow: boolean }): void {
    const reader: Reader = { task, seqs: [], payloads: [] };
    this.#readers.push(reader);
    const reading = async () => {
      while (!this.#over) {
        await this.#readUntilCut(reader, slow);
        // Long enough to fall behind what servers hold in memory.
        if (slow && chance(0.3)) await pause(Math.random() * 1_500);
      }
    };
    this.#reading.push(reading().catch((error) => this.#fail(error)));
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#over = true;
  }

  async #readUntilCut(reader: Reader, slow: boolean): Promise<void> {
    const { log, feeds, streams } = this.#servers[chance(0.5) ? 1 : 0] as Server;
    const source = await TaskReader.open(log, feeds, reader.task, reader.seqs.at(-1) ?? 0);
    assert.ok(source, 'a reader was ahead of the log');
    const stream = new PassThrough();
    const viewer = { userId: String(this.#connections++ % 100), permit: null };
    streams.open(source, viewer, () => stream);
    const end = setTimeout(() => stream.destroy(), 20 + Math.random() * 400);
    let rest = '';
    try {
      for await (const piece of stream) {
        const parts = (rest + piece).split('\n\n');
        // What a cut leaves of a frame is dropped, as every client of such streams does it.
        rest = parts.pop() as string;
        for (const part of parts) receive(reader, part);
        if (slow) await pause(Math.random() * 60);
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) this.#fail(error);
    } finally {
      clearTimeout(end);
    }
  }

  /** Another process writes, is killed without warning, and a next one takes over. */
  async writeAndKill(tasks: string[], until: number): Promise<void> {
    for (let fence = 1; performance.now() < until; fence++) {
      const name = `process${fence}`;
      const child = spawn(process.execPath, [
        WRITER,
        name,
        String(fence),
        this.#url,
        tasks.join(','),
      ]);
      this.#children.add(child);
      child.stdout.on('data', (chunk) => this.#confirm(name, String(chunk)));
      const exited = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), exited]);
      await pause(300 + Math.random() * 700);
      child.kill('SIGKILL');
      await exited;
      this.#children.delete(child);
    }
  }

  #confirm(writer: string, lines: string): void {
    for (const [, task = '', n] of lines.matchAll(/^(\S+) (\d+)$/gm)) this.#noted(task, writer, n);
  }

  #noted(task: string, writer: string, n: unknown): void {
    const confirmed = this.#confirmed.get(task) ?? new Set();
    this.#confirmed.set(task, confirmed.add(`${writer} ${n}`));
  }

  /** The servers write in turns; each learns from its lost fence that the other has taken over. */
  async writeAndMove(task: string, until: number): Promise<void> {
    const writers: Promise<void>[] = [];
    for (let fence = 1n; performance.now() < until; fence++) {
      const { log } = this.#servers[Number(fence % 2n)] as Server;
      const name = `server${fence}`;
      await log.acquire(task, fence, name);
      writers.push(this.#write(log, task, fence, name, until));
      await pause(200 + Math.random() * 400);
    }
    await Promise.all(writers);
  }

  async #write(
    log: OpenedEventLog,
    task: string,
    fence: bigint,
    writer: string,
    until: number,
  ): Promise<void> {
    for (let n = 0; performance.now() < until; ) {
      const events = Array.from({ length: 1 + Math.floor(Math.random() * 20) }, () => ({
        type: 'message',
        payload: { writer, n: ++n },
      }));
      try {
        await log.append(task, fence, events);
      } catch (error) {
        if (error instanceof LostFence || /closed|ended/i.test(String(error))) return;
        throw error;
      }
      this.#noted(task, writer, n);
      await pause(Math.random() * 5);
    }
  }

  /** Ends one server as at shutdown; its readers come back to its successor. */
  async restartServer(): Promise<void> {
    const old = this.#servers[1] as Server;
    this.#servers[1] = this.#open();
    await end(old);
  }

  /**
   * Waits until each reader has everything, and compares it with what is stored and was confirmed.
   */
  async verify(): Promise<string> {
    const { log } = this.#servers[0] as Server;
    const heads = new Map<string, number>();
    for (const { task } of this.#readers) heads.set(task, (await log.head(task)).last);
    const complete = () =>
      this.#readers.every(({ task, seqs }) => (seqs.at(-1) ?? 0) >= (heads.get(task) as number));
    for (let i = 0; !complete() && this.#fault === undefined && i < 1_000; i++) await pause(20);
    this.#over = true;
    if (this.#fault !== undefined) throw this.#fault;
    await Promise.all(this.#reading);
    let frames = 0;
    for (const [task, last] of heads) {
      const stored = await log.read(task, 0, 1_000_000);
      assert.deepEqual(
        stored.map(({ seq }) => seq),
        Array.from({ length: last }, (_, i) => i + 1),
      );
      const payloads = stored.map(({ payload }) => payload);
      for (const reader of this.#readers.filter((each) => each.task === task)) {
        frames += reader.seqs.length;
        assert.deepEqual(reader.payloads, payloads);
      }
      this.#verifyWriters(task, payloads);
    }
    const events = [...heads.values()].reduce((sum, last) => sum + last, 0);
    return `${events} events, ${frames} frames over ${this.#connections} connections`;
  }

  /** The events of each writer are there once, in order; none that was confirmed to it is missing. */
  #verifyWriters(task: string, payloads: string[]): void {
    const stored = payloads.map((payload) => JSON.parse(payload));
    const found = new Set(stored.map(({ writer, n }) => `${writer} ${n}`));
    assert.equal(found.size, payloads.length, 'an event was stored twice');
    for (const event of this.#confirmed.get(task) ?? []) assert.ok(found.has(event), event);
    for (const list of Map.groupBy(stored, ({ writer }) => writer).values())
      assert.deepEqual(
        list.map(({ n }) => n),
        list.map((_, index) => index + 1),
      );
  }

  async close(): Promise<void> {
    this.#over = true;
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.allSettled(this.#reading);
    await Promise.all(this.#servers.map(end));
  }
}

async function end({ streams, feeds, log }: Server): Promise<void> {
  streams.close();
  feeds.close();
  await log.close();
}

/** Fails at the first frame that is not the next one. */
function receive(reader: Reader, part: string): void {
  const [, id, data] = /^id: (\d+)\nevent: \w+\ndata: (.*)$/.exec(part) ?? [];
  if (id === undefined) return;
  const { seq, payload } = JSON.parse(data as string);
  assert.equal(seq, Number(id));
  assert.equal(seq, (reader.seqs.at(-1) ?? 0) + 1, 'an event is missing, repeated or out of order');
  reader.seqs.push(seq);
  reader.payloads.push(JSON.stringify(payload));
}
