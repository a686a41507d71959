import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canEnter, exists, makeSharedDir, type OsUser } from './os-user.ts';
import {
  locationFile,
  locationOf,
  newPlace,
  originFile,
  originOf,
  placePrefix,
} from './outside.ts';

/**
 * Where the files of a DATA_DIR's PostgreSQL (its cluster) are: in it, or where PostgreSQL's own
 * user can reach them.
 */

/**
 * The cluster of a DATA_DIR (a real path), or undefined when there is none yet. Throws when the
 * cluster is outside and gone, when it belongs to the DATA_DIR that this one was copied from, or
 * when `user` can no longer enter it.
 */
export async function findCluster(dataDir: string, user?: OsUser): Promise<string | undefined> {
  const outside = await locationOf(dataDir, 'postgres');
  if (outside !== undefined) {
    await checkOutside(dataDir, outside);
    return outside;
  }
  const inside = join(dataDir, 'postgres');
  if (!(await exists(join(inside, 'PG_VERSION')))) return undefined;
  if (user && !(await canEnter(dataDir, user))) {
    throw new Error(
      `The OS user "postgres" can no longer enter ${dataDir}, where the data is: ` +
        'give other users access (chmod o+x) to it and the directories above.',
    );
  }
  return inside;
}

async function checkOutside(dataDir: string, cluster: string): Promise<void> {
  const origin = await originOf(cluster);
  if (origin === undefined || !(await exists(join(cluster, 'PG_VERSION')))) {
    throw new Error(
      `The data of ${dataDir} was in ${cluster} and is no longer there. ` +
        `Restore it, or remove ${locationFile(dataDir, 'postgres')} to begin with an empty database.`,
    );
  }
  if (origin === dataDir) return;
  if ((await locationOf(origin, 'postgres')) === cluster) {
    throw new Error(
      `${dataDir} is a copy of ${origin}, whose data is in ${cluster} and was not copied with ` +
        `it. Remove ${locationFile(dataDir, 'postgres')} to begin with an empty database.`,
    );
  }
  // DATA_DIR was moved, and its data belongs to the new path.
  await fs.writeFile(originFile(cluster), dataDir);
}

/**
 * Makes a new cluster inside DATA_DIR, or outside when PostgreSQL's user cannot enter it. `build`
 * fills an empty directory, which gets its final name only afterwards, so that a crash leaves no
 * incomplete cluster. A cluster outside has a new random name each time, so that one left behind by
 * a removed DATA_DIR is never used again.
 */
export async function createCluster(
  dataDir: string,
  user: OsUser | undefined,
  log: (line: string) => void,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  if (!user || (await canEnter(dataDir, user))) {
    const cluster = join(dataDir, 'postgres');
    await buildThenRename(`${cluster}.new`, cluster, user, build);
    return cluster;
  }
  await makeSharedDir();
  const cluster = newPlace(dataDir, 'data');
  log(
    `PostgreSQL does not run as root, and its OS user "postgres" cannot enter ${dataDir}: ` +
      `the data is stored in ${cluster}.`,
  );
  await buildThenRename(`${placePrefix(dataDir, 'data')}.new`, cluster, user, build);
  await fs.writeFile(originFile(cluster), dataDir);
  await fs.writeFile(locationFile(dataDir, 'postgres'), `${cluster}\n`);
  return cluster;
}

async function buildThenRename(
  temporary: string,
  cluster: string,
  user: OsUser | undefined,
  build: (directory: string) => Promise<void>,
): Promise<void> {
  // When a start is killed, its initdb runs on and may still fill the directory. Each attempt
  // therefore has a name of its own, and an initdb that loses its directory gives up.
  for (const name of await fs.readdir(dirname(temporary))) {
    if (!name.startsWith(basename(temporary))) continue;
    await fs.rm(join(dirname(temporary), name), {
      recursive: true,
      force: true,
      maxRetries: 20,
      retryDelay: 50,
    });
  }
  const directory = `${temporary}-${randomBytes(4).toString('hex')}`;
  await fs.mkdir(directory, { mode: 0o700 });
  if (user) await fs.chown(directory, user.uid, user.gid);
  try {
    await build(directory);
  } catch (error) {
    await fs.rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    throw error;
  }
  await fs.rename(directory, cluster);
}
