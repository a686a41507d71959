import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Locks on files that the kernel takes back when their holder dies, however it dies: no pid is compared, so a pid used
 * anew cannot mislead anybody, and nothing stale is left to clean up. Node has no flock(); SQLite's file locks are the
 * same thing on every platform. The file stays empty.
 */
export type Release = () => void;

/** A lock whose handle is collected as garbage would be a lock let go. */
const held = new Set<DatabaseSync>();

const statements = { exclusive: 'begin exclusive', shared: 'begin; select 1 from sqlite_schema' };
const SQLITE_BUSY = 5;

/** Takes the lock now, or returns undefined when another holder is in the way. Throws when the file cannot be locked. */
export function tryLock(path: string, kind: keyof typeof statements): Release | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(statements[kind]);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  held.add(db);
  return () => {
    if (held.delete(db)) db.close();
  };
}

/** Waits for the lock, saying so once through `onWait`. Its holder is alive, so there is no time limit. */
export async function lock(
  path: string,
  kind: keyof typeof statements,
  onWait: () => void,
): Promise<Release> {
  for (let tries = 0; ; tries++) {
    const release = tryLock(path, kind);
    if (release) return release;
    if (tries === 40) onWait();
    await sleep(50);
  }
}

/** Whether nobody, in this process or another, holds the lock. */
export function isFree(path: string): boolean {
  const release = tryLock(path, 'exclusive');
  release?.();
  return release !== undefined;
}
