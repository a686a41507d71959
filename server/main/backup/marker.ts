import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';

/**
 * The file among the repositories that a restore has begun to write and not ended. Nothing else starts
 * there. It lies in what the next restore may empty: where the folder has become another one, for
 * instance a new volume, nothing is emptied.
 */
const fileIn = (repositories: string): string => join(repositories, MARKER);
const MARKER = 'restore-unfinished';
/** Also one that was not whole when its restore was killed. */
export const isMarker = (name: string): boolean => name.startsWith(MARKER);

export interface Marker {
  /** Of the backup. */
  id: string;
  /** `ending`: everything is there, and the databases may already be in use. */
  state: 'writing' | 'ending';
  /** Where it writes beside DATA_DIR, as one hash: what is cleared must be what it has made. */
  places: string;
}

/** Undefined where no restore has begun. A restore makes no link, so where one leads does not count. */
export async function readMarker(repositories: string): Promise<Marker | undefined> {
  try {
    if (!(await lstat(repositories)).isDirectory()) return undefined;
    return JSON.parse(await readFile(fileIn(repositories), 'utf8'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
}

/** Survives the loss of power once it is written, and appears whole. */
export async function writeMarker(repositories: string, marker: Marker): Promise<void> {
  const draft = `${fileIn(repositories)}.${randomUUID()}`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(marker)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, fileIn(repositories));
  await syncFolder(repositories);
}

export async function removeMarker(repositories: string): Promise<void> {
  for (const name of (await readdir(repositories)).filter(isMarker))
    await rm(join(repositories, name), { force: true });
  await syncFolder(repositories);
}

/** Makes the names in a folder outlast the loss of power. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; its file system keeps names without being asked.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Throws an Error with a sentence where a restore has not ended. */
export async function refuseHalfRestored({
  dataDir,
  repositories,
}: Pick<Config, 'dataDir' | 'repositories'>): Promise<void> {
  if ((await readMarker(repositories)) === undefined) return;
  throw new Error(
    `${dataDir} is half restored: \`guildhall restore\` began to write it and has not ended. Run ` +
      'that command again; it begins anew.',
  );
}
