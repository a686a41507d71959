import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOnce } from './write-once.ts';

/**
 * An id in a folder of the server distinguishes it from another one at its path: where the volume of a
 * folder is not mounted, an empty one is there instead.
 */

/** The file with the id; what such folders have besides has other names. */
export const ID_FILE = 'guildhall-id';

const MODE = 0o600;

/** Undefined where there is none yet. */
export const readFolderId = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, ID_FILE), 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );

/** Gives a folder the id that another one has had. */
export const writeFolderId = (directory: string, id: string): Promise<void> =>
  writeFile(join(directory, ID_FILE), `${id}\n`, { mode: MODE, flush: true });

/** Of several processes that make it at once, all get the same. */
export async function makeFolderId(directory: string): Promise<string> {
  await writeOnce(join(directory, ID_FILE), `${randomUUID()}\n`);
  return (await readFolderId(directory)) as string;
}
