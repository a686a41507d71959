import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  opendirSync,
  openSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { PodError } from '../pod.ts';
import { type Disk, SHARED } from './disk.ts';
import { entryIn, inside, type OpenFolder, openFolder, openRoot, unless } from './in-folder.ts';
import { turnOfOthers } from './turn-of-others.ts';

interface RemoveOptions {
  /** Milliseconds. */
  within?: number;
  signal?: Pick<AbortSignal, 'throwIfAborted'> | undefined;
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
  const parent = unless(['ENOENT'], () => openRoot(dirname(path)));
  if (parent === undefined) return;
  const name = Buffer.from(basename(path));
  const check = checking(path, options);
  const { disk = SHARED } = options;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (await unlinked(disk, entryIn(parent, name))) return;
      const removal = { check, disk, top: parent, depth: 0, brought: { count: 0 } };
      if (await removeFolder(removal, parent, name)) return;
    }
    throw changing(path);
  } finally {
    closeSync(parent.fd);
  }
}

/** As `removeTree`: false, and no error, where its time was not enough. */
export async function isRemoved(
  path: string,
  { within, ...options }: RemoveOptions & { within: number },
): Promise<boolean> {
  const end = performance.now() + within;
  try {
    await removeTree(path, { within, ...options });
    return true;
  } catch (error) {
    const late = performance.now() > end && (error as PodError).code === 'unavailable';
    if (!late) throw error;
    return false;
  }
}

/** As `removeTree`, of what is in a folder, which only the server may exchange. */
export async function emptyFolder(path: string, options: RemoveOptions = {}): Promise<void> {
  const { disk = SHARED } = options;
  const folder = openRoot(path);
  try {
    const removal = { check: checking(path, options), disk, top: folder, depth: 1 };
    await empty({ ...removal, brought: { count: 0 } }, folder);
  } finally {
    closeSync(folder.fd);
  }
}

interface Removal {
  /** Throws when it must end. */
  check: () => void;
  disk: Disk;
  /** The first folder that is emptied. What is too deep is brought here. */
  top: OpenFolder;
  depth: number;
  /** How many folders were brought there. */
  brought: { count: number };
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

async function empty(removal: Removal, folder: OpenFolder): Promise<void> {
  // Until nothing is found: whoever reads a folder while it changes may miss an entry.
  for (const _ of rounds(removal, folder)) if (!(await removeContent(removal, folder))) return;
}

/** What is brought up is no sign that somebody adds to it: a tree may be deep. The time is bounded. */
function* rounds({ brought }: Removal, folder: OpenFolder): Generator<void> {
  for (let round = 0; round < ROUNDS; ) {
    const { count } = brought;
    yield;
    if (brought.count === count) round += 1;
  }
  throw changing(folder.path);
}

/** Returns whether there was any. */
async function removeContent(removal: Removal, folder: OpenFolder): Promise<boolean> {
  // One of another user, such as a volume's folder that a cluster has made, may be its group's to empty.
  if (mayBeRefused()) unless(['EPERM'], () => fchmodSync(folder.fd, 0o700));
  let found = false;
  for (const entries of entriesIn(folder)) {
    // However many folders are being removed: each of them begins at once.
    await turnOfOthers();
    removal.check();
    found = true;
    const folders = entries.filter((entry) => entry.isDirectory()).map(nameOf);
    const files = entries.filter((entry) => !entry.isDirectory()).map(nameOf);
    const replaced = await unlinkAll(removal.disk, folder, files);
    for (const name of [...folders, ...replaced]) await removeFolder(removal, folder, name);
  }
  return found;
}

const AT_ONCE = 64;

function* entriesIn(folder: OpenFolder): Generator<Dirent[]> {
  const encoding = 'buffer' as BufferEncoding;
  const content = opendirSync(inside(folder, ''), { encoding, bufferSize: AT_ONCE });
  try {
    for (;;) {
      const entries: Dirent[] = [];
      for (let entry = content.readSync(); entry !== null; entry = content.readSync())
        if (entries.push(entry) === AT_ONCE) break;
      if (entries.length === 0) return;
      yield entries;
    }
  } finally {
    content.closeSync();
  }
}

// The types of Node.js do not know that a name is a Buffer here.
const nameOf = ({ name }: Dirent) => name as unknown as Buffer;

/** Returns the names of folders. All have settled then: the descriptor must outlast each of them. */
async function unlinkAll(disk: Disk, folder: OpenFolder, names: readonly Buffer[]) {
  const outcomes = await Promise.allSettled(
    names.map((name) => unlinked(disk, entryIn(folder, name))),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return names.filter((_, i) => !(outcomes[i] as PromiseFulfilledResult<boolean>).value);
}

/** False where another entry has taken its place, or something was added to it. */
async function removeFolder(removal: Removal, parent: OpenFolder, name: Buffer): Promise<boolean> {
  const folder = openToEmpty(parent, name);
  if (folder === undefined) return false;
  const where = entryIn(parent, name);
  try {
    const { disk, top, depth } = removal;
    if (depth === MOST_DEPTH) {
      if (mayBeRefused()) fchmodSync(folder.fd, 0o700);
      await disk.rename(where, entryIn(top, Buffer.from(randomUUID())));
      removal.brought.count += 1;
    } else {
      const inner = { ...removal, top: depth === 0 ? folder : top, depth: depth + 1 };
      for (const _ of rounds(inner, folder)) {
        const found = await removeContent(inner, folder);
        if (await isRemovedEmpty(disk, where)) break;
        // What is in a folder that has taken its place is not to be found in this one.
        if (!found) return false;
      }
    }
    return true;
  } catch (error) {
    if (GONE.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    closeSync(folder.fd);
  }
}

/** False for a folder that has something in it: somebody has added to it, or reading it missed that. */
async function isRemovedEmpty(disk: Disk, folder: Buffer): Promise<boolean> {
  try {
    await disk.rmdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    return false;
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
function openToEmpty(parent: OpenFolder, name: Buffer): OpenFolder | undefined {
  const opened = unless([...GONE, 'EACCES'], () => openFolder(parent, name));
  if (opened !== undefined || !mayBeRefused()) return opened;
  unless(GONE, () => allow(entryIn(parent, name)));
  return unless(GONE, () => openFolder(parent, name));
}

const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Only root may enter and empty every folder. */
const mayBeRefused = () => process.geteuid?.() !== 0;

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Of Linux: opens what may not be read, for its name only. */
const O_PATH = 0o10000000;

/** Lets its owner read a folder. */
function allow(where: Buffer): void {
  if (process.platform !== 'linux') {
    chmodSync(where, 0o700);
    return;
  }
  const fd = openSync(where, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
}
