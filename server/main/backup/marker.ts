import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { writeOnce } from '../../platform/write-once.ts';

/**
 * The file among the repositories that a restore has begun to write and not ended. Nothing else starts
 * there. It lies in what the next restore may empty: where the folder has become another one, for
 * instance a new volume, nothing is emptied.
 */
const fileIn = (repositories: string): string => join(repositories, MARKER);
const MARKER = 'restore-unfinished';
/** One that was not whole when its restore was killed. What a person has called alike is none. */
const DRAFT = /^restore-unfinished\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isMarker = (name: string): boolean => name === MARKER || DRAFT.test(name);

export interface Marker {
  /** Of the backup. */
  id: string;
  /** `ending`: everything is there, and the databases may already be in use. */
  state: 'writing' | 'ending';
  /** Where it writes beside DATA_DIR, as one hash: what is cleared must be what it has made. */
  places: string;
  /** The id of the folder of files, where they are on disk: another folder is not cleared. */
  files?: string;
}

/**
 * Undefined where no restore has begun. A restore makes no link, so where one leads does not count. Throws
 * an Error with a sentence where something has the name of the mark and is none: nobody knows then what is
 * there.
 */
export async function readMarker(repositories: string): Promise<Marker | undefined> {
  const file = fileIn(repositories);
  try {
    if (!(await lstat(repositories)).isDirectory()) return undefined;
    // Not opened otherwise: a pipe would keep it waiting.
    const found = (await lstat(file)).isFile() ? parsed(await readFile(file, 'utf8')) : undefined;
    if (isValid(found)) return found;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return undefined;
    if (code === 'EACCES')
      throw new Error(
        `${repositories} cannot be read by this user (EACCES): run this as the user of the server, or choose ` +
          'another DATA_DIR.',
        { cause: error },
      );
    throw error;
  }
  throw new Error(
    `${file} has the name of what a restore leaves until it has ended, and no restore has written it. Nothing ` +
      'was changed. Move it away, or set DATA_DIR to an empty folder.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isValid(found: unknown): found is Marker {
  const { id, state, places, files } = (found ?? {}) as Partial<Record<keyof Marker, unknown>>;
  return (
    typeof id === 'string' &&
    (state === 'writing' || state === 'ending') &&
    typeof places === 'string' &&
    ['string', 'undefined'].includes(typeof files)
  );
}

/** Survives the loss of power once it is written, and appears whole. */
export async function writeMarker(repositories: string, marker: Marker): Promise<void> {
  const draft = `${fileIn(repositories)}.${randomUUID()}`;
  await writeFile(draft, textOf(marker), { mode: 0o600, flush: true });
  await rename(draft, fileIn(repositories));
  await syncFolder(repositories);
}

/** The same, where there is none. Throws an Error with a sentence where another restore has its own. */
export async function writeFirstMarker(repositories: string, marker: Marker): Promise<void> {
  if (!(await writeOnce(fileIn(repositories), textOf(marker))))
    throw new Error(
      `Another restore has begun to write to ${repositories}: wait until it has ended.`,
    );
  await syncFolder(repositories);
}

const textOf = (marker: Marker): string => `${JSON.stringify(marker)}\n`;

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
