import type { Feed } from './feed.ts';
import { type Feeds, openFeeds } from './feeds.ts';
import { type EventLogOptions, type OpenedEventLog, openEventLog } from './open-event-log.ts';
import { TaskReader } from './reader.ts';

/** The event log, and what follows it. */
export interface TaskEvents {
  log: OpenedEventLog;
  feeds: Feeds;
  /**
   * A stream of what follows the event `after`, 0 for all; undefined when that one is not there
   * yet.
   */
  stream(taskId: string, after: number): Promise<TaskReader | undefined>;
  /** Resolves when there are events after this one, after `milliseconds`, or with the signal. */
  wait(taskId: string, after: number, milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Counts a reader who asked for what is no longer known, if that is measured. */
  onReset(): void;
  close(): Promise<void>;
}

/** Opens the log, and the feeds that wake readers. */
export function openTaskEvents(options: EventLogOptions): TaskEvents {
  const log = openEventLog(options);
  const feeds = openFeeds(log, options.observer);
  return {
    log,
    feeds,
    stream: (taskId, after) =>
      TaskReader.open(log, feeds, taskId, after, options.observer?.onReset),
    wait: async (taskId, after, milliseconds, signal) => {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      const leave = () => resolve();
      signal.addEventListener('abort', leave);
      if (signal.aborted) resolve();
      let feed: Feed | undefined;
      const wake = () => {
        if (feed !== undefined && feed.head > after) resolve();
      };
      try {
        feed = await feeds.join(taskId, wake);
        wake();
        await over;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        if (feed !== undefined) feeds.leave(feed, wake);
      }
    },
    onReset: () => options.observer?.onReset(),
    close: async () => {
      feeds.close();
      await log.close();
    },
  };
}
