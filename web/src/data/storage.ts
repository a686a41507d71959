/**
 * What this browser keeps for the dashboard. A private window may refuse it, and a full storage
 * takes nothing more: then nothing is kept, and the page works without. Each page loads this file;
 * what only some need is in stored-items.ts.
 */

export function unlessRefused<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export const readStored = (key: string): string | null =>
  unlessRefused(() => localStorage.getItem(key));

/** `undefined` removes it. */
export const writeStored = (key: string, value: string | undefined): void =>
  void unlessRefused(() =>
    value === undefined ? localStorage.removeItem(key) : localStorage.setItem(key, value),
  );
