import { setImmediate } from 'node:timers/promises';

/**
 * How long something goes on before everything else has its turn, in milliseconds. A call to the file
 * system takes some microseconds; by way of the thread pool, it costs ten times the processor time.
 */
const PAUSE_AFTER_MS = 2;

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves after everything else has had its turn, for one caller at a time: however many walks are
 * under way, everything else waits for a part of one of them.
 */
export function turnOfOthers(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}

/** To be called at each step of what has many: waits for `turnOfOthers` where its time is over. */
export function pacing(): () => Promise<void> | undefined {
  let pauseAt = performance.now() + PAUSE_AFTER_MS;
  const pause = async () => {
    await turnOfOthers();
    pauseAt = performance.now() + PAUSE_AFTER_MS;
  };
  return () => (performance.now() > pauseAt ? pause() : undefined);
}
