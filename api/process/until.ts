import type { Connected } from './open-database.ts';

/** What a process that runs until it is stopped waits for. */

/** Settles with the first of these signals; later ones change nothing. */
export function signalled(...signals: NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve());
  });
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
