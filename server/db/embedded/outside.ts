import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { SHARED_DIR } from './os-user.ts';

/**
 * What a DATA_DIR (a real path) has outside itself, because an OS user that must reach it cannot
 * enter the DATA_DIR. A file in the DATA_DIR says where it is, and a file beside it whose it is.
 */
type Kind = 'postgres' | 'pods' | 'instances';

export const locationFile = (dataDir: string, kind: Kind) => join(dataDir, `${kind}-location`);
export const originFile = (place: string) => `${place}.origin`;

/** Undefined where it is inside, or was not made yet. */
export async function locationOf(dataDir: string, kind: Kind): Promise<string | undefined> {
  const text = await fs.readFile(locationFile(dataDir, kind), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** The DATA_DIR that a place outside belongs to. */
export const originOf = (place: string): Promise<string | undefined> =>
  fs.readFile(originFile(place), 'utf8').catch(() => undefined);

/** The same for every place of a kind of one DATA_DIR. */
export const placePrefix = (dataDir: string, name: string): string =>
  join(SHARED_DIR, `${name}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);

/** New each time, so that what a removed DATA_DIR has left behind is never used again. */
export const newPlace = (dataDir: string, name: string): string =>
  `${placePrefix(dataDir, name)}-${randomBytes(4).toString('hex')}`;

/**
 * Removes what a DATA_DIR has outside itself, if anything. For tests: its PostgreSQL must have
 * stopped.
 */
export async function removeOutside(dataDir: string): Promise<void> {
  for (const kind of ['postgres', 'pods', 'instances'] as const) {
    const place = await locationOf(dataDir, kind);
    if (place === undefined) continue;
    // That of the original stays where its DATA_DIR was copied.
    if ((await originOf(place)) !== (await fs.realpath(dataDir))) continue;
    await fs.rm(place, { recursive: true, force: true });
    await fs.rm(originFile(place), { force: true });
  }
}
