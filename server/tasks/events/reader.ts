import type { EventSource } from '../../http/event-stream.ts';
import type { Feed } from './feed.ts';
import type { Feeds } from './feeds.ts';
import { type Frame, frameOf, joined, resetFrame } from './frames.ts';
import type { OpenedEventLog } from './open-event-log.ts';

/** What a reader that is behind reads at once: as many events as take about this many bytes. */
const READ_BYTES = 256 * 1024;
const READ_MOST = 256;
const READ_FIRST = 16;

/**
 * A cursor through the events of a task. It holds its position and, while it is behind the feed,
 * the events of one read; so a slow reader costs no more than a fast one.
 */
export class TaskReader implements EventSource {
  readonly #log: Pick<OpenedEventLog, 'read' | 'head'>;
  readonly #feed: Feed;
  readonly #leave: () => void;
  readonly #onReset: () => void;
  #position: number;
  #wake: () => void = () => {};
  #behind: Frame[] = [];
  #reset: Buffer | undefined;
  #limit = READ_FIRST;
  #loading = false;
  #stopped = false;

  private constructor(
    log: Pick<OpenedEventLog, 'read' | 'head'>,
    feed: Feed,
    position: number,
    leave: () => void,
    onReset: () => void,
  ) {
    this.#log = log;
    this.#feed = feed;
    this.#position = position;
    this.#leave = leave;
    this.#onReset = onReset;
  }

  /**
   * A reader of what follows `after`; undefined when `after` itself is not there yet. It must be
   * stopped.
   */
  static async open(
    log: Pick<OpenedEventLog, 'read' | 'head'>,
    feeds: Feeds,
    taskId: string,
    after: number,
    onReset = () => {},
  ): Promise<TaskReader | undefined> {
    let reader: TaskReader | undefined;
    const wake = () => reader?.wake();
    const feed = await feeds.join(taskId, wake);
    const leave = () => feeds.leave(feed, wake);
    try {
      // The feed may not have heard of the newest events yet.
      if (after <= feed.head || after <= (await log.head(taskId)).last)
        reader = new TaskReader(log, feed, after, leave, onReset);
    } finally {
      if (reader === undefined) leave();
    }
    return reader;
  }

  /** The newest event that was handed out. */
  get position(): number {
    return this.#position;
  }

  start(wake: () => void): void {
    this.#wake = wake;
  }

  wake(): void {
    this.#wake();
  }

  next(): Buffer | undefined {
    if (this.#reset !== undefined) {
      const frame = this.#reset;
      this.#reset = undefined;
      return frame;
    }
    const piece =
      this.#behind.length > 0
        ? joined(this.#behind, this.#position)
        : this.#position + 1 >= this.#feed.first
          ? this.#feed.after(this.#position)
          : undefined;
    if (piece !== undefined) {
      this.#position = piece.last;
      if (this.#behind.length > 0 && piece.last === this.#behind.at(-1)?.seq) this.#behind = [];
      return piece.bytes;
    }
    if (this.#position < this.#feed.head && !this.#loading) this.#load();
    return undefined;
  }

  stop(): void {
    this.#stopped = true;
    this.#behind = [];
    this.#leave();
  }

  /** Reads what the feed does not hold any more. A failure is tried again with the next wake. */
  async #load(): Promise<void> {
    this.#loading = true;
    try {
      const { taskId } = this.#feed;
      const events = await this.#log.read(taskId, this.#position, this.#limit);
      if (this.#stopped) return;
      const first = events[0]?.seq ?? (await this.#log.head(taskId)).first;
      if (first > this.#position + 1) {
        this.#reset = resetFrame(first);
        this.#onReset();
        this.#position = first - 1;
      }
      if (events.length === 0 && this.#reset === undefined) return this.#retry();
      this.#behind = events.map(frameOf);
      const bytes = this.#behind.reduce((sum, frame) => sum + frame.bytes.length, 0);
      if (bytes > READ_BYTES) this.#limit = Math.max(1, this.#limit >> 1);
      else this.#limit = Math.min(READ_MOST, this.#limit * 2);
    } catch {
      return this.#retry();
    } finally {
      this.#loading = false;
    }
    this.#wake();
  }

  #retry(): void {
    setTimeout(() => !this.#stopped && this.#wake(), 1_000).unref();
  }
}
