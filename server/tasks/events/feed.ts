import type { TaskEvent } from './event-log.ts';
import { type Frame, frameOf, joined } from './frames.ts';

/** How many of the newest events of a task are held for its readers, and how many bytes of them. */
const RING = 256;
const RING_BYTES = 1024 * 1024;

/** The newest events of one task, for all readers in this process. */
export class Feed {
  readonly taskId: string;
  readonly readers = new Set<() => void>();
  /** The newest event in the ring, or the one before the first that will come. */
  head: number;
  /** The newest event that is known to be stored. */
  known: number;
  /** Whether a turn of the task seems to run. */
  running = true;
  /** Since when it has had no reader, in milliseconds. */
  idleSince = performance.now();
  #ring: Frame[] = [];
  #bytes = 0;
  #piece: { after: number; last: number; bytes: Buffer } | undefined;

  constructor(taskId: string, head: number) {
    this.taskId = taskId;
    this.head = head;
    this.known = head;
  }

  /** The first event that a reader gets without the database. */
  get first(): number {
    return this.head - this.#ring.length + 1;
  }

  /** Adds what follows the head. After a gap, which retention leaves, the ring begins anew. */
  push(events: readonly TaskEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.head) continue;
      if (event.seq !== this.head + 1) this.skipTo(event.seq);
      const frame = frameOf(event);
      this.#ring.push(frame);
      this.#bytes += frame.bytes.length;
      this.head = event.seq;
      if (event.type === 'turn_started') this.running = true;
      if (event.type === 'turn_ended') this.running = false;
    }
    while (this.#ring.length > RING || (this.#bytes > RING_BYTES && this.#ring.length > 1))
      this.#bytes -= (this.#ring.shift() as Frame).bytes.length;
    this.known = Math.max(this.known, this.head);
  }

  /** Nothing before `first` is there any more. */
  skipTo(first: number): void {
    this.#ring = [];
    this.#bytes = 0;
    this.#piece = undefined;
    this.head = first - 1;
  }

  /** What follows `after`, as one piece; readers that are equally far share it. */
  after(after: number): { last: number; bytes: Buffer } | undefined {
    if (this.#piece?.after === after) return this.#piece;
    const piece = joined(this.#ring, after);
    if (piece !== undefined) this.#piece = { after, ...piece };
    return piece;
  }

  wake(): void {
    for (const reader of this.readers) reader();
  }
}
