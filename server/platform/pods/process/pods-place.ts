import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canEnter, makeSharedDir, type OsUser, SHARED_DIR } from '../../../db/embedded/os-user.ts';
import {
  locationFile,
  locationOf,
  newPlace,
  originFile,
  originOf,
} from '../../../db/embedded/outside.ts';
import { isPodId } from '../places.ts';
import { PLACE } from './sandbox.ts';

/**
 * Where the pods of this machine are: in their folder, or, where that is below a folder that only
 * root may enter, where the users of pods reach them. The files of PostgreSQL are placed alike.
 */

/** The place of the pods of a folder that was opened before. */
export async function podsPlace(folder: string): Promise<string> {
  const parent = await fs.realpath(dirname(folder)).catch(() => dirname(folder));
  return (await locationOf(parent, 'pods')) ?? folder;
}

/**
 * Makes the place of the pods of a folder, if it is missing. `user`: any of the users that pods are
 * given; without one, pods run as the user of this process. Throws an Error with a sentence for
 * people.
 */
export async function openPodsPlace(
  folder: string,
  user: OsUser | undefined,
  onMoved: (sentence: string) => void,
  kind: 'pods' | 'instances' = 'pods',
): Promise<string> {
  const place = await openInside(folder, user, onMoved, kind).catch((error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(
      `The folder ${folder} must be one that can be written (${code}): agents work in it.`,
      { cause: error },
    );
  });
  if (user !== undefined) await fs.chmod(place, PLACE);
  return place;
}

async function openInside(
  folder: string,
  user: OsUser | undefined,
  onMoved: (sentence: string) => void,
  kind: 'pods' | 'instances',
): Promise<string> {
  await fs.mkdir(dirname(folder), { recursive: true });
  const parent = await fs.realpath(dirname(folder));
  const known = user && (await knownOutside(parent, kind));
  if (known !== undefined) return known;
  await fs.mkdir(folder, { recursive: true });
  if (user === undefined) {
    await fs.access(folder, fs.constants.W_OK);
    return folder;
  }
  if (await canEnter(await fs.realpath(parent), user)) return folder;
  if ((await fs.readdir(folder)).some(isPodId))
    throw new Error(
      `The users of pods can no longer enter ${folder}, where pods are: ` +
        'give other users access (chmod o+x) to the directories above.',
    );
  const place = await makeOutside(parent, user, kind);
  onMoved(
    `Each pod runs as a user of its own, and none of them can enter ${parent}: ` +
      `pods are stored in ${place}.`,
  );
  return place;
}

/**
 * Where the pods of a DATA_DIR are outside. Undefined where they are gone, or are those of the
 * DATA_DIR that this one was copied from: tasks then begin with new pods.
 */
async function knownOutside(
  dataDir: string,
  kind: 'pods' | 'instances',
): Promise<string | undefined> {
  const place = await locationOf(dataDir, kind);
  if (place === undefined) return undefined;
  const origin = await originOf(place);
  const there = await fs.stat(place).catch(() => undefined);
  const isCopy =
    origin !== undefined && origin !== dataDir && (await locationOf(origin, kind)) === place;
  if (origin !== undefined && there?.isDirectory() && !isCopy) {
    if (origin !== dataDir) await fs.writeFile(originFile(place), dataDir);
    return place;
  }
  await fs.rm(locationFile(dataDir, kind), { force: true });
  return undefined;
}

async function makeOutside(
  dataDir: string,
  user: OsUser,
  kind: 'pods' | 'instances',
): Promise<string> {
  await makeSharedDir();
  if (!(await canEnter(SHARED_DIR, user)))
    throw new Error(
      `${SHARED_DIR} must be a directory that every user may enter (chmod o+x), ` +
        'because each pod runs as a user of its own.',
    );
  const place = newPlace(dataDir, kind);
  await fs.mkdir(place);
  await fs.writeFile(originFile(place), dataDir);
  // Of two processes that start at once, both use the place of the first. The file appears whole.
  const file = locationFile(dataDir, kind);
  const written = join(dataDir, `${basename(place)}.location`);
  await fs.writeFile(written, `${place}\n`);
  const first = await fs.link(written, file).then(
    () => true,
    (error) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  await fs.rm(written);
  if (first) return place;
  await fs.rmdir(place);
  await fs.rm(originFile(place));
  return (await locationOf(dataDir, kind)) as string;
}
