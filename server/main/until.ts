import type { Connected } from './open-database.ts';

/** What a process that runs until it is stopped waits for. */

/** A start that was ended by a signal. */
export class Signalled extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`${signal} ended the start. Nothing that it had started was left running.`);
    this.signal = signal;
  }
}

/** Is aborted by the first of these signals, with Signalled; later ones change nothing. */
export function signalled(...signals: NodeJS.Signals[]): AbortSignal {
  const stop = new AbortController();
  for (const signal of signals) process.on(signal, () => stop.abort(new Signalled(signal)));
  return stop.signal;
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** What `work` yields; rejects with the reason of the signal as soon as that is aborted. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  await Promise.race([work, untilAborted(signal)]);
  signal.throwIfAborted();
  return work;
}

/** Never settles with a PostgreSQL of one's own, which may come back. */
export async function throwWhenEnded(embedded: Connected['embedded']): Promise<never> {
  if (embedded === undefined) return new Promise<never>(() => {});
  await embedded.ended();
  throw new Error(
    'The embedded PostgreSQL has ended unexpectedly, so the server stopped. ' +
      'Nothing that was confirmed is lost: start it again, and PostgreSQL recovers.',
  );
}
