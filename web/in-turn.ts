import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** So old, a lock was left behind, wherever its process runs. */
const LONGEST_MS = 120_000;

/**
 * Runs `work` while no other process runs what has the same lock, a folder that is made for it. The
 * lock of a process of this machine that has ended is not waited for.
 */
export async function inTurn<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  await take(lock);
  const release = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', release);
  try {
    writeFileSync(join(lock, 'holder'), `${process.pid} ${hostname()}`);
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function take(lock: string): Promise<void> {
  for (;;) {
    try {
      return mkdirSync(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLeft(lock)) rmSync(lock, { recursive: true, force: true });
    else await pause(100);
  }
}

function isLeft(lock: string): boolean {
  const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > LONGEST_MS || hasEnded(holderOf(lock));
}

/** Undefined while the lock is being made, or removed. */
function holderOf(lock: string): string | undefined {
  try {
    return readFileSync(join(lock, 'holder'), 'utf8');
  } catch {
    return undefined;
  }
}

function hasEnded(holder = ''): boolean {
  const [pid, host] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
