import { hash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDataDir } from '../../db/embedded/data-dir.ts';
import { stateOfDatabase } from '../../db/migrate/half-restored.ts';
import type { Config } from '../../platform/config/config.ts';
import type { FileStore } from '../../platform/files/file-store.ts';
import { openFileStore } from '../../platform/files/open-file-store.ts';
import { ID_FILE, readFolderId } from '../../platform/folder-id.ts';
import { isMarker, type Marker, readMarker, removeMarker } from './marker.ts';
import { isRestored } from './record-backup.ts';

/** Where a restore may write. */

/** Beside what a restore writes, a DATA_DIR may have the secret, and what a new volume has. */
const MAY_BE_THERE = ['server-secret', 'lost+found'];
/** What containers have as volumes of their own: may be there if it is empty. */
const VOLUMES = ['files', 'pods', 'repositories'];

/** What a restore finds: nothing, or what one has left that did not end. */
interface Place {
  /** Left by a restore of this backup, or of another. */
  left: Marker | undefined;
}

/**
 * Throws an Error with a sentence unless DATA_DIR, the store of files and all databases are empty, or
 * are as a restore has left them. Changes nothing.
 */
export async function checkPlace(config: Config): Promise<Place> {
  const { dataDir, database } = config;
  const left = await readMarker(config.repositories);
  if (left === undefined) {
    const found = await unexpectedIn(dataDir);
    if (found.length > 0)
      throw new Error(
        `DATA_DIR must be an empty folder: ${dataDir} has ${found.slice(0, 3).join(', ')}` +
          `${found.length > 3 ? ' …' : ''}. Nothing was changed. Set DATA_DIR to a new folder.`,
      );
    await withStore(config, async (store) => {
      for await (const page of store.list())
        if (page.length > 0)
          throw new Error(
            `FILES_URL must lead to an empty place: there are files in ${store.place}. Nothing was ` +
              'changed. Choose another bucket or prefix.',
          );
    });
  } else if (left.places !== placesOf(config))
    throw new Error(
      `${dataDir} is half restored, with another DATABASE_URL, EVENT_DATABASE_URL or FILES_URL. Nothing was ` +
        'changed. Set them as they were, or set DATA_DIR to an empty folder.',
    );
  else if (!(await areFilesOf(left, config)))
    throw new Error(
      `${dataDir} is half restored, but there is something else in ${config.files.folder} than the restore has ` +
        'written. Nothing was changed. Move it away, or set DATA_DIR to an empty folder.',
    );
  for (const [name, url] of databasesOf(config)) {
    const found = await stateOfDatabase(url, database.connectTimeout);
    if (found === 'in use' && left?.state !== 'ending')
      throw new Error(
        `${name} must be an empty database: there are tables in it. Nothing was changed. Create a new ` +
          'database and name that.',
      );
  }
  return { left };
}

/** The databases of one's own, by their settings. */
const databasesOf = (config: Config): [string, string][] => [
  ...(config.databaseUrl === undefined
    ? []
    : ([['DATABASE_URL', config.databaseUrl]] as [string, string][])),
  ...(config.eventDatabaseUrl === undefined
    ? []
    : ([['EVENT_DATABASE_URL', config.eventDatabaseUrl]] as [string, string][])),
];

/** Whether the folder of files is the one that a restore has begun to write, or has nothing. */
async function areFilesOf({ files: id }: Marker, { files }: Config): Promise<boolean> {
  if (files.s3 !== undefined) return true;
  const found = await lstat(files.folder).catch(() => undefined);
  if (found === undefined) return true;
  if (!found.isDirectory()) return false;
  if (id !== undefined && (await readFolderId(files.folder)) === id) return true;
  return (await contentOf(files.folder)).length === 0;
}

/** Where a restore writes beside DATA_DIR, without the logins, as one hash. */
export function placesOf(config: Config): string {
  const databases = databasesOf(config).map(([name, address]) => {
    const { host, pathname, search } = new URL(address);
    return [name, host, pathname, search];
  });
  const { endpoint, bucket, prefix } = config.files.s3 ?? {};
  return hash('sha256', JSON.stringify([databases, endpoint, bucket, prefix]));
}

/** Removes what a restore that did not end has written, but for the databases. */
export async function clearPlace(config: Config): Promise<void> {
  await empty(config.repositories);
  // The id stays until the end: by it the next restore knows the folder.
  if (config.files.s3 === undefined) return empty(config.files.folder, [ID_FILE]);
  await withStore(config, async (store) => {
    for await (const page of store.list()) await store.delete(page.map(({ key }) => key));
  });
}

export async function makePlace({ dataDir, repositories }: Config): Promise<string> {
  const folder = await makeDataDir(dataDir);
  await mkdir(repositories, { recursive: true });
  return folder;
}

/**
 * The last step of a restore that was killed in it: everything is there. False where a database still
 * says that it is not.
 */
export async function endsHere(config: Config, { left }: Place, id: string): Promise<boolean> {
  if (left?.state !== 'ending') return false;
  const { connectTimeout } = config.database;
  const found: string[] = [];
  for (const [, url] of databasesOf(config)) found.push(await stateOfDatabase(url, connectTimeout));
  // The embedded database is in DATA_DIR, which no server has opened since: it is written anew.
  if (config.databaseUrl === undefined || !found.every((one) => one === 'in use')) return false;
  if (left.id !== id)
    throw new Error(
      `${resolve(config.dataDir)} was restored from another backup, but for the last step. Run this ` +
        'with that backup to end it, or set DATA_DIR and DATABASE_URL to empty places.',
    );
  if (!(await isRestored(config.databaseUrl, left, connectTimeout)))
    throw new Error(
      'DATABASE_URL must be the database that the restore has written: there is another one now. Nothing ' +
        'was changed. Set DATA_DIR and DATABASE_URL to empty places.',
    );
  await removeMarker(config.repositories);
  return true;
}

async function withStore(config: Config, work: (store: FileStore) => Promise<void>) {
  const store = await openFileStore(config.files.folder, config.files.s3);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** What an empty DATA_DIR does not have. */
async function unexpectedIn(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesInDataDir(dataDir)) {
    if (MAY_BE_THERE.includes(name)) continue;
    const folder = join(dataDir, name);
    const isVolume = VOLUMES.includes(name) && (await lstat(folder)).isDirectory();
    if (isVolume) found.push(...(await contentOf(folder)).map((one) => join(name, one)));
    else found.push(name);
  }
  return found;
}

/** What is in a volume, beside what each new one has and the marker. */
const contentOf = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => name !== 'lost+found' && !isMarker(name));

/** The folder itself stays: it may be where a volume is mounted. Where a link leads, all stays. */
async function empty(folder: string, kept: readonly string[] = []): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return rm(folder, { force: true });
  for (const name of (await contentOf(folder)).filter((one) => !kept.includes(one)))
    await rm(join(folder, name), { recursive: true, force: true });
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });

async function namesInDataDir(dataDir: string): Promise<string[]> {
  try {
    return await readdir(dataDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isLink = (await lstat(dataDir).catch(() => undefined)) !== undefined;
    if (code === 'ENOENT' && !isLink) return [];
    throw new Error(
      `DATA_DIR must be an empty folder: ${dataDir} cannot be opened (${code}). Nothing was changed. Set ` +
        'DATA_DIR to a new folder.',
    );
  }
}
