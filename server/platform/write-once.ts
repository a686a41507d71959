import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, rm, writeFile } from 'node:fs/promises';

const MODE = 0o600;

/**
 * Writes a file that is not there yet, so that it appears whole; of several processes that do it at once,
 * one writes. False, and nothing is changed, where it is there. What a killed process leaves has the name
 * of the file, a full stop and a UUID.
 */
export async function writeOnce(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: MODE, flush: true });
  // Some shared file systems have no links.
  return link(draft, file)
    .catch((error) => {
      if (!isThere(error)) return copyFile(draft, file, constants.COPYFILE_EXCL);
      throw error;
    })
    .then(
      () => true,
      (error) => {
        if (isThere(error)) return false;
        throw error;
      },
    )
    .finally(() => rm(draft));
}

const isThere = (error: NodeJS.ErrnoException): boolean => error.code === 'EEXIST';
