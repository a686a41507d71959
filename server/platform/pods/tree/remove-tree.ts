import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, open, opendir, rename, rmdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { PodError } from '../pod.ts';
import { type Disk, SHARED } from './disk.ts';
import { entryIn, type Folder, inside, openFolder, openRoot } from './in-folder.ts';

interface RemoveOptions {
  /** Milliseconds. */
  within?: number;
  signal?: AbortSignal | undefined;
  disk?: Disk;
}

const WITHIN_MS = 600_000;
/** Of folders that are open at once. */
const MOST_DEPTH = 64;
/** After which somebody adds as fast as this removes. */
const ROUNDS = 100;

/**
 * Removes a file, a link or a folder with its content, which an agent or a push has made and may
 * change meanwhile. Nothing is followed: what a link leads to stays. It gets through what is deeper
 * than a path can be long, and through folders that their owner may not write to, as those of Go's
 * modules. Nothing happens when there is nothing.
 *
 * Nobody but the server may exchange the folder that `path` is in. Throws PodError `unavailable`
 * when it takes too long, and the reason of `signal` once that is aborted; another call then
 * removes the rest.
 */
export async function removeTree(path: string, options: RemoveOptions = {}): Promise<void> {
  const parent = await openRoot(dirname(path)).catch(ignore('ENOENT'));
  if (parent === undefined) return;
  const name = Buffer.from(basename(path));
  const check = checking(path, options);
  try {
    for (
      let round = 0;
      !(await removeEntry({ check, disk: SHARED, top: parent, depth: 0 }, parent, name));
      round += 1
    )
      if (round === ROUNDS) throw changing(path);
  } finally {
    await parent.handle.close();
  }
}

/** As `removeTree`, of what is in a folder, which only the server may exchange. */
export async function emptyFolder(path: string, options: RemoveOptions = {}): Promise<void> {
  const { disk = SHARED } = options;
  const folder = await openRoot(path);
  try {
    await empty({ check: checking(path, options), disk, top: folder, depth: 1 }, folder);
  } finally {
    await folder.handle.close();
  }
}

interface Removal {
  /** Throws when it must end. */
  check: () => void;
  disk: Disk;
  /** The first folder that is emptied. What is too deep is brought here. */
  top: Folder;
  depth: number;
}

const checking =
  (path: string, { within = WITHIN_MS, signal }: RemoveOptions, end = performance.now() + within) =>
  () => {
    signal?.throwIfAborted();
    if (performance.now() > end)
      throw new PodError('unavailable', `${path} was not removed within ${within / 1_000} s`);
  };

const changing = (path: string) =>
  new PodError('unavailable', `${path} was not removed, because it changes all the time`);

async function empty(removal: Removal, folder: Folder): Promise<void> {
  // One of another user, such as a volume's folder that a cluster has made, may be its group's to empty.
  if (mayBeRefused()) await folder.handle.chmod(0o700).catch(ignore('EPERM'));
  // Until nothing is found: whoever reads a folder while it changes may miss an entry.
  for (let round = 0; round < ROUNDS; round += 1) {
    let found = false;
    for await (const names of namesIn(folder)) {
      removal.check();
      found = true;
      const left = await unlinkAll(removal.disk, folder, names);
      for (const name of left) await removeEntry(removal, folder, name);
    }
    if (!found) return;
  }
  throw changing(folder.path);
}

const AT_ONCE = 64;

async function* namesIn(folder: Folder): AsyncGenerator<Buffer[]> {
  let names: Buffer[] = [];
  const encoding = 'buffer' as BufferEncoding;
  for await (const { name } of await opendir(inside(folder, ''), { encoding })) {
    names.push(name as unknown as Buffer);
    if (names.length < AT_ONCE) continue;
    yield names;
    names = [];
  }
  if (names.length > 0) yield names;
}

/** Returns the names of folders. All have settled then: the descriptor must outlast each of them. */
async function unlinkAll(disk: Disk, folder: Folder, names: readonly Buffer[]) {
  const outcomes = await Promise.allSettled(
    names.map((name) => unlinked(disk, entryIn(folder, name))),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return names.filter((_, i) => !(outcomes[i] as PromiseFulfilledResult<boolean>).value);
}

/** False where another entry has taken its place, or something was added to it. */
async function removeEntry(removal: Removal, parent: Folder, name: Buffer): Promise<boolean> {
  const where = entryIn(parent, name);
  if (await unlinked(removal.disk, where)) return true;
  const folder = await openToEmpty(parent, name);
  if (folder === undefined) return false;
  try {
    const { top, depth } = removal;
    if (depth === MOST_DEPTH) {
      if (mayBeRefused()) await folder.handle.chmod(0o700);
      await rename(where, entryIn(top, Buffer.from(randomUUID())));
    } else {
      await empty({ ...removal, top: depth === 0 ? folder : top, depth: depth + 1 }, folder);
      await rmdir(where);
    }
    return true;
  } catch (error) {
    if ([...GONE, 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await folder.handle.close();
  }
}

/** What POSIX answers for a folder is on Linux the answer for what nobody may remove. */
const IS_A_FOLDER = process.platform === 'linux' ? 'EISDIR' : 'EPERM';

/** False for a folder. */
async function unlinked(disk: Disk, where: Buffer): Promise<boolean> {
  try {
    await disk.unlink(where);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code !== IS_A_FOLDER) throw error;
    return false;
  }
}

/** Undefined where it is no folder any more. */
async function openToEmpty(parent: Folder, name: Buffer): Promise<Folder | undefined> {
  const opened = await openFolder(parent, name).catch(ignore(...GONE, 'EACCES'));
  if (opened !== undefined || !mayBeRefused()) return opened;
  await allow(entryIn(parent, name)).catch(ignore(...GONE));
  return openFolder(parent, name).catch(ignore(...GONE));
}

const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Only root may enter and empty every folder. */
const mayBeRefused = () => process.geteuid?.() !== 0;

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Of Linux: opens what may not be read, for its name only. */
const O_PATH = 0o10000000;

/** Lets its owner read a folder. */
async function allow(where: Buffer): Promise<void> {
  if (process.platform !== 'linux') return chmod(where, 0o700);
  const handle = await open(where as unknown as string, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  await chmod(`/proc/self/fd/${handle.fd}`, 0o700).finally(() => handle.close());
}

const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error;
    return undefined;
  };
