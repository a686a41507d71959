import type { EventObserver } from './appender.ts';
import { Feed } from './feed.ts';
import type { OpenedEventLog } from './open-event-log.ts';

/** Milliseconds between two questions whether tasks with a running turn have new events. */
const POLL = 100;
/** All other watched tasks are asked for with every tenth. */
const ALL_EVERY = 10;
/** How long a feed is kept for readers that come back, in milliseconds. */
const KEPT = 30_000;
/** How many events of a task are read at once. */
const SPAN = 256;
/** How many events a new feed begins with. */
const SEED = 32;

/** The feeds of the tasks that have a reader in this process. */
export interface Feeds {
  /** The feed of a task, which `leave` gives back; `wake` is called when it has more. */
  join(taskId: string, wake: () => void): Promise<Feed>;
  leave(feed: Feed, wake: () => void): void;
  count(): number;
  close(): void;
}

/**
 * Readers learn of new events in three ways: at once from an append of this process; from a
 * question every 100 ms about the tasks with a running turn, because another process may run it;
 * and from one every second about all tasks. Each is one statement, as is the read that follows for
 * all tasks with new events. So nothing depends on LISTEN, and a lost wake costs a second.
 */
export function openFeeds(
  log: Pick<OpenedEventLog, 'head' | 'read' | 'readTasks' | 'lastSeqs' | 'onAppended'>,
  observer?: Pick<EventObserver, 'onDelivery'>,
): Feeds {
  const feeds = new Map<string, Promise<Feed>>();
  const ready = new Map<string, Feed>();
  let timer: NodeJS.Timeout | undefined;
  let polls = 0;
  let polling = false;
  let reading = false;

  async function create(taskId: string): Promise<Feed> {
    const { first, last } = await log.head(taskId);
    const feed = new Feed(taskId, Math.max(first - 1, last - SEED));
    if (feed.head < last) feed.push(await log.read(taskId, feed.head, SEED));
    ready.set(taskId, feed);
    timer ??= setInterval(poll, POLL).unref();
    return feed;
  }

  function noteLast(taskId: string, lastSeq: number): void {
    const feed = ready.get(taskId);
    if (feed === undefined || lastSeq <= feed.known) return;
    feed.known = lastSeq;
    if (!reading) read();
  }

  /** Reads what is new of all feeds, until nothing is. */
  async function read(): Promise<void> {
    reading = true;
    try {
      for (;;) {
        const behind = [...ready.values()].filter(({ head, known }) => head < known);
        if (behind.length === 0) return;
        const tasks = behind.map(({ taskId, head }) => ({ taskId, after: head }));
        const found = await log.readTasks(tasks, SPAN);
        for (const feed of behind) {
          const events = found.get(feed.taskId);
          if (events === undefined) await skipDeleted(feed);
          else feed.push(events);
          feed.wake();
          if (observer !== undefined && feed.readers.size > 0)
            for (const { createdAt } of events ?? []) observer.onDelivery(Date.now() - +createdAt);
        }
      }
    } catch {
      // The database cannot be read now: the next poll tries again.
    } finally {
      reading = false;
    }
  }

  // Retention has deleted a span at once, or all events.
  async function skipDeleted(feed: Feed): Promise<void> {
    const { first, last } = await log.head(feed.taskId);
    if (first > feed.head + 1) feed.skipTo(first);
    feed.known = Math.max(last, feed.head);
  }

  async function poll(): Promise<void> {
    const all = ++polls % ALL_EVERY === 0;
    if (all) dropIdle();
    if (polling) return;
    const asked = [...ready.values()].filter(({ running }) => all || running);
    if (asked.length === 0) return;
    polling = true;
    try {
      const found = await log.lastSeqs(asked.map(({ taskId }) => taskId));
      for (const [taskId, lastSeq] of found) noteLast(taskId, lastSeq);
      if (!reading && asked.some(({ head, known }) => head < known)) read();
    } catch {
      // As above.
    } finally {
      polling = false;
    }
  }

  function dropIdle(): void {
    const before = performance.now() - KEPT;
    for (const feed of ready.values())
      if (feed.readers.size === 0 && feed.idleSince < before) {
        ready.delete(feed.taskId);
        feeds.delete(feed.taskId);
      }
  }

  log.onAppended(noteLast);
  return {
    join: async (taskId, wake) => {
      let opening = feeds.get(taskId);
      if (opening === undefined) {
        opening = create(taskId);
        feeds.set(taskId, opening);
        opening.catch(() => feeds.delete(taskId));
      }
      const feed = await opening;
      feed.readers.add(wake);
      return feed;
    },
    leave: (feed, wake) => {
      feed.readers.delete(wake);
      if (feed.readers.size === 0) feed.idleSince = performance.now();
    },
    count: () => ready.size,
    close: () => clearInterval(timer),
  };
}
