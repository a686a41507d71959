import { constants } from 'node:fs';
import { open, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Says to every worker that shares the folder of an instance that someone is at work there, also to
 * those that see no process of it, such as in another container: a file whose time changes as long as
 * its owner lives. It is compared with what it was before, never with a clock.
 */

const FILE = 'beat';

/** Begins, and returns what ends it. `every`: milliseconds. Rejects where there is no folder. */
export async function beatIn(folder: string, every: number): Promise<() => void> {
  const path = join(folder, FILE);
  await writeFile(path, '');
  const beat = () => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  };
  const beating = setInterval(beat, every).unref();
  return () => clearInterval(beating);
}

/** Undefined where nobody has begun. It is opened, because network file systems keep times for a while. */
export async function beatOf(folder: string): Promise<number | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const file = await open(join(folder, FILE), flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}
