import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves after everything else has had its turn, for one caller at a time: however many walks are
 * under way, everything else waits for a part of one of them.
 */
export function turnOfOthers(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}
