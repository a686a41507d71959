import { lstat, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLargeTree } from '../../platform/pods/tree/remove-large-tree.ts';

/** Where copies of work trees are while they are made, for pods on other machines
 * among others. Its name is no id of a project. */
export const stagingOf = (directory: string): string => join(directory, 'staging');

/** Calls `use` with a new folder in `staging`, which is removed afterwards. */
export async function inStaging<T>(
  staging: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await removeLeft(staging);
  const folder = await mkdtemp(join(staging, 'tree-'));
  try {
    return await use(folder);
  } finally {
    await removeLargeTree(folder);
  }
}

const DAY_MS = 86_400_000;

/** Removes what workers that were killed have left. No turn takes a day. */
async function removeLeft(staging: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const folder = join(staging, name);
    const changed = await lstat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (changed < Date.now() - DAY_MS) await removeLargeTree(folder);
  }
}
