import type { EventSource } from '../../http/event-stream.ts';
import { resetFrame } from './frames.ts';

/** How many bytes wait for a slow reader; beyond that, it gets a reset. */
const WAITING_BYTES = 256 * 1024;

/** What the changes of all tasks give to a reader, and hear of it. */
interface Followed {
  /** What a reader continues after that knows everything until now. */
  position(): string;
  /** The projects of a reader are others now. */
  moved(reader: ChangeReader, former: ReadonlySet<string>): void;
  left(reader: ChangeReader): void;
}

/** The changes of tasks in some projects, for one stream. What waits is shared by all readers. */
export class ChangeReader implements EventSource {
  readonly #followed: Followed;
  #projects: ReadonlySet<string>;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #resets = false;
  #wake: () => void = () => {};

  constructor(followed: Followed, projects: readonly string[]) {
    this.#followed = followed;
    this.#projects = new Set(projects);
  }

  get projects(): ReadonlySet<string> {
    return this.#projects;
  }

  start(wake: () => void): void {
    this.#wake = wake;
  }

  /** Frames to send, unless a reset is to be sent, whose reader then reads everything. */
  give(frames: readonly Buffer[]): void {
    if (this.#resets) return;
    for (const each of frames) {
      this.#waiting.push(each);
      this.#bytes += each.length;
    }
    if (this.#bytes > WAITING_BYTES) this.reset();
    else this.#wake();
  }

  /** Whatever waits is part of what is read anew. */
  reset(): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#resets = true;
    this.#wake();
  }

  /** Follows these projects from now on; a list that shows others than before is read anew. */
  follow(projects: readonly string[]): void {
    const former = this.#projects;
    const now = new Set(projects);
    if (now.size === former.size && now.isSubsetOf(former)) return;
    this.#projects = now;
    this.#followed.moved(this, former);
    this.reset();
  }

  next(): Buffer | undefined {
    if (this.#resets) {
      this.#resets = false;
      return resetFrame(this.#followed.position());
    }
    const piece = this.#waiting.shift();
    this.#bytes -= piece?.length ?? 0;
    return piece;
  }

  stop(): void {
    this.#waiting = [];
    this.#followed.left(this);
  }
}
