import { mkdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** So old, a lock was left behind. */
const LONGEST_MS = 120_000;

/** Runs `work` while no other process runs what has the same lock, a folder that is made for it. */
export async function inTurn<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  await take(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

async function take(lock: string): Promise<void> {
  for (;;) {
    try {
      return mkdirSync(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LONGEST_MS) rmSync(lock, { recursive: true, force: true });
    else await pause(100);
  }
}
