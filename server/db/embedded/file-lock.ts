import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Locks on files, which the kernel releases when their holder dies in any way. No process ids are
 * compared, so a reused one cannot mislead, and nothing stale is left to clean up. Node has no
 * flock(); SQLite's file locks do the same on every platform. The file stays empty.
 */
export type Release = () => void;

/** Keeps the handles from being collected as garbage, which would release their locks. */
const held = new Set<DatabaseSync>();

const statements = { exclusive: 'begin exclusive', shared: 'begin; select 1 from sqlite_schema' };
const SQLITE_BUSY = 5;

/**
 * Takes the lock, or returns undefined when another holder excludes it. Throws when the file cannot
 * be locked.
 */
export function tryLock(path: string, kind: keyof typeof statements): Release | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec(statements[kind]);
  } catch (error) {
    db?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode === SQLITE_BUSY) return undefined;
    throw new Error(
      `${path} cannot be locked (${message}): DATA_DIR must be a folder, on a disk that has room and ` +
        'that this user can write to.',
      { cause: error },
    );
  }
  const handle = db;
  held.add(handle);
  return () => {
    if (held.delete(handle)) handle.close();
  };
}

/**
 * Waits for the lock; `onWait` is called once, after 2 s. There is no time limit, because the
 * holder is alive. Throws the reason of `signal` once that is aborted.
 */
export async function lock(
  path: string,
  kind: keyof typeof statements,
  onWait: () => void,
  signal?: AbortSignal,
): Promise<Release> {
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    const release = tryLock(path, kind);
    if (release) return release;
    if (tries === 40) onWait();
    await pause(50);
  }
}

/** Whether no process, this one included, holds the lock. */
export function isFree(path: string): boolean {
  const release = tryLock(path, 'exclusive');
  release?.();
  return release !== undefined;
}
