import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The file in a DATA_DIR that a restore has begun to write and not ended. Nothing else starts there.
 */
const fileIn = (dataDir: string): string => join(dataDir, MARKER);
export const MARKER = 'restore-unfinished';

export interface Marker {
  /** Of the backup. */
  id: string;
  /** `ending`: everything is there, and the databases may already be in use. */
  state: 'writing' | 'ending';
  /** Where it writes beside DATA_DIR, as one hash: what is cleared must be what it has made. */
  places: string;
}

/** Undefined where no restore has begun. */
export async function readMarker(dataDir: string): Promise<Marker | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code)) return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** Survives the loss of power once it is written, and appears whole. */
export async function writeMarker(dataDir: string, marker: Marker): Promise<void> {
  const draft = `${fileIn(dataDir)}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(marker)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, fileIn(dataDir));
  await syncFolder(dataDir);
}

export async function removeMarker(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
  await syncFolder(dataDir);
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
export async function refuseHalfRestored(dataDir: string): Promise<void> {
  if ((await readMarker(dataDir)) === undefined) return;
  throw new Error(
    `${dataDir} is half restored: \`guildhall restore\` began to write it and has not ended. Run ` +
      'that command again; it begins anew.',
  );
}
