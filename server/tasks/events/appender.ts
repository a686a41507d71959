import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../db/database/database.ts';
import { LostFence } from './event-log.ts';
import { appended, type Batch, type EncodedEvent, type Head, heads } from './statements.ts';

/** What the metrics of the event log count. Times are milliseconds. */
export interface EventObserver {
  /** An append, from its call until its events were stored. */
  onAppend(milliseconds: number): void;
  /** A statement with so many events. */
  onBatch(events: number): void;
  /** An event that was handed to the readers of this process so long after it was stored. */
  onDelivery(milliseconds: number): void;
  /** A reader asked for events that are no longer kept. */
  onReset(): void;
  /** Retention deleted so many events. */
  onRemoved(events: number): void;
}

/** Milliseconds between two statements of a process. */
const TICK = 25;
/** What one statement takes at most; the rest goes with the next. */
const MOST_EVENTS = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Tasks whose writers are remembered, busy ones apart. */
const MOST_WRITERS = 1_000;

/** One call of `append`. */
interface Call {
  events: readonly EncodedEvent[];
  resolve(lastSeq: number): void;
  reject(error: unknown): void;
}

/** What this process writes for a task. */
interface Writer {
  taskId: string;
  fence: bigint;
  /** The newest event, or undefined when it is not known. */
  lastSeq: number | undefined;
  waiting: Call[];
  /** A statement with events of this task is under way. */
  busy: boolean;
}

interface Taken {
  writer: Writer;
  calls: Call[];
}

/** `giveUpAfter`: milliseconds without the database. */
interface AppenderOptions {
  giveUpAfter?: number | undefined;
  observer?: Pick<EventObserver, 'onAppend' | 'onBatch'> | undefined;
}

/** Appends to the events in one database. */
export class Appender {
  readonly #db: Pick<Database, 'read' | 'write'>;
  readonly #onAppended: (taskId: string, lastSeq: number) => void;
  readonly #giveUpAfter: number;
  readonly #observer: AppenderOptions['observer'];
  readonly #writers = new Map<string, Writer>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #flushedAt = 0;
  #closed = false;

  constructor(
    db: Pick<Database, 'read' | 'write'>,
    onAppended: (taskId: string, lastSeq: number) => void,
    { giveUpAfter = 10_000, observer }: AppenderOptions = {},
  ) {
    this.#db = db;
    this.#onAppended = onAppended;
    this.#giveUpAfter = giveUpAfter;
    this.#observer = observer;
  }

  /** Notes that this process may append from now on. */
  acquired(taskId: string, fence: bigint, lastSeq: number): void {
    this.#writer(taskId, fence).lastSeq ??= lastSeq;
  }

  append(taskId: string, fence: bigint, events: readonly EncodedEvent[]): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const writer = this.#writer(taskId, fence);
    if (this.#closed) reject(new Error('the log of events was closed'));
    else if (writer.fence !== fence) reject(new LostFence(taskId));
    else {
      writer.waiting.push({ events, resolve: this.#timed(resolve), reject });
      this.#schedule();
    }
    return promise;
  }

  /** Resolves when nothing waits any more; what comes then is refused at once. */
  async close(): Promise<void> {
    for (;;) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#flush();
      if (this.#running.size === 0) break;
      await Promise.race(this.#running);
    }
    this.#closed = true;
  }

  #timed(resolve: Call['resolve']): Call['resolve'] {
    const observer = this.#observer;
    if (observer === undefined) return resolve;
    const begun = performance.now();
    return (lastSeq) => {
      observer.onAppend(performance.now() - begun);
      resolve(lastSeq);
    };
  }

  // With a later fence, what still waits under an earlier one is lost.
  #writer(taskId: string, fence: bigint): Writer {
    const known = this.#writers.get(taskId);
    if (known !== undefined && known.fence >= fence) return known;
    for (const { reject } of known?.waiting.splice(0) ?? []) reject(new LostFence(taskId));
    if (this.#writers.size >= MOST_WRITERS) this.#forgetIdle();
    const writer = { taskId, fence, lastSeq: undefined, waiting: [], busy: false };
    this.#writers.set(taskId, writer);
    return writer;
  }

  // A later append of theirs asks the database where the events end.
  #forgetIdle(): void {
    for (const [taskId, { busy, waiting }] of this.#writers)
      if (!busy && waiting.length === 0) this.#writers.delete(taskId);
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const flush = () => {
      this.#timer = undefined;
      this.#flush();
    };
    this.#timer = setTimeout(flush, Math.max(0, this.#flushedAt + TICK - performance.now()));
  }

  #flush(): void {
    const taken = this.#take();
    if (taken.length === 0) return;
    this.#flushedAt = performance.now();
    const done = this.#append(taken).finally(() => {
      this.#running.delete(done);
      for (const { writer } of taken) this.#release(writer);
    });
    this.#running.add(done);
  }

  #release(writer: Writer): void {
    writer.busy = false;
    if (writer.waiting.length > 0) this.#schedule();
  }

  #take(): Taken[] {
    const taken: Taken[] = [];
    let events = 0;
    let characters = 0;
    for (const writer of this.#writers.values()) {
      if (writer.busy || writer.waiting.length === 0) continue;
      let count = 0;
      for (const call of writer.waiting) {
        if (events > 0 && (events >= MOST_EVENTS || characters >= MOST_CHARACTERS)) break;
        count++;
        events += call.events.length;
        for (const { payload } of call.events) characters += payload.length;
      }
      if (count === 0) break;
      writer.busy = true;
      taken.push({ writer, calls: writer.waiting.splice(0, count) });
    }
    return taken.sort((a, b) => (a.writer.taskId < b.writer.taskId ? -1 : 1));
  }

  async #append(taken: Taken[]): Promise<void> {
    const known = taken.filter(({ writer }) => writer.lastSeq !== undefined);
    let done = new Set<string>();
    try {
      if (known.length > 0) done = await this.#write(known.map(batchOf));
    } catch {
      // Whatever it was: each task is tried alone, so that it affects no other.
    }
    const rest = taken.filter((each) => {
      if (done.has(each.writer.taskId)) this.#settle(each);
      return !done.has(each.writer.taskId);
    });
    await Promise.all(rest.map((each) => this.#alone(each)));
  }

  async #write(batches: readonly Batch[]): Promise<Set<string>> {
    this.#observer?.onBatch(batches.reduce((sum, { events }) => sum + events.length, 0));
    const rows = await this.#db.write<{ task_id: string }>(appended(batches));
    return new Set(rows.map(({ task_id }) => task_id));
  }

  /** The calls are answered, whatever happens. */
  async #alone({ writer, calls }: Taken): Promise<void> {
    const until = performance.now() + this.#giveUpAfter;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
      try {
        return await this.#tryAlone({ writer, calls });
      } catch (error) {
        const isOver = performance.now() + wait > until;
        if (error instanceof DatabaseUnavailable && !isOver) {
          await pause(wait);
          continue;
        }
        if (calls.length > 1 && !(error instanceof DatabaseUnavailable)) {
          // One of them may be to blame.
          for (const call of calls) await this.#alone({ writer, calls: [call] });
          return;
        }
        writer.lastSeq = undefined;
        for (const { reject } of calls) reject(error);
        return;
      }
    }
  }

  async #tryAlone(taken: Taken): Promise<void> {
    const { writer, calls } = taken;
    if (writer.lastSeq === undefined) {
      const head = await this.#head(writer);
      if (head === undefined) return lose(writer, calls);
      writer.lastSeq = Number(head.last_seq);
    }
    const batch = batchOf(taken);
    if (!(await this.#write([batch])).has(writer.taskId)) {
      // An earlier attempt may have succeeded although its answer was lost.
      const head = await this.#head(writer);
      if (Number(head?.last_seq) !== batch.lastSeq + batch.events.length)
        return lose(writer, calls);
    }
    this.#settle(taken);
  }

  /** Undefined once the fence is lost. */
  async #head({ taskId, fence }: Writer): Promise<Head | undefined> {
    const [head] = await this.#db.read<Head>(heads([taskId]));
    return head?.fence === fence ? head : undefined;
  }

  #settle({ writer, calls }: Taken): void {
    for (const { events, resolve } of calls) {
      writer.lastSeq = (writer.lastSeq as number) + events.length;
      resolve(writer.lastSeq);
    }
    this.#onAppended(writer.taskId, writer.lastSeq as number);
  }
}

function batchOf({ writer, calls }: Taken): Batch {
  const { taskId, fence, lastSeq } = writer;
  return {
    taskId,
    fence,
    lastSeq: lastSeq as number,
    events: calls.flatMap(({ events }) => events),
  };
}

function lose(writer: Writer, calls: Call[]): void {
  writer.lastSeq = undefined;
  for (const { reject } of [...calls, ...writer.waiting.splice(0)])
    reject(new LostFence(writer.taskId));
}
