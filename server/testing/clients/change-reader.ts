import { setTimeout as pause } from 'node:timers/promises';
import { openStream } from './event-reader.ts';

/** A client that follows the changes of all tasks that its user can open. */
export interface ChangeReader {
  /** The ids of the tasks that changed, and `reset` where all lists have to be read again. */
  seen: readonly string[];
  stop(): Promise<void>;
}

/** Begins after its first reset. A stream that ends is opened again after the last frame. */
export async function followChanges(url: string, key: string): Promise<ChangeReader> {
  const seen: string[] = [];
  let leave = () => {};
  let over = false;
  let lastEventId: string | undefined;

  async function follow(): Promise<void> {
    while (!over) {
      const stream = await openStream<string>(`${url}/api/task-changes`, {
        key,
        ...(lastEventId !== undefined && { lastEventId }),
      }).catch(() => undefined);
      leave = () => stream?.cut();
      if (over) leave();
      let taken = 0;
      const take = () => {
        for (const { id, event, data } of stream?.frames.slice(taken) ?? []) {
          seen.push(event === 'reset' ? 'reset' : data.task_id);
          lastEventId = id;
          taken += 1;
        }
      };
      const timer = setInterval(take, 20).unref();
      await stream?.ended;
      clearInterval(timer);
      take();
      // A test that fails does not stop it.
      await pause(100, undefined, { ref: false });
    }
  }

  const following = follow();
  while (seen.length === 0) await pause(20);
  return {
    seen,
    stop: async () => {
      over = true;
      leave();
      await following;
    },
  };
}
