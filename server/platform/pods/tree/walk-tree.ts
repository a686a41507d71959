import { closeSync, type Dir, type Dirent, opendirSync } from 'node:fs';
import { PodError } from '../pod.ts';
import { TO_DO } from './bounds.ts';
import { entryIn, inside, type OpenFolder, openFolder, openRoot, unless } from './in-folder.ts';
import { pacing } from './turn-of-others.ts';

/** A file, a folder, a link or something else that a walk has found. */
export interface Found {
  /** From the root. Each character stands for a byte: a name need not be UTF-8. */
  path: string;
  name: Buffer;
  /** Leads here by way of its folder, which is open: nothing but the last name can be a link. */
  where: Buffer;
  type: 'folder' | 'file' | 'link' | 'other';
  /** Of a folder, until the next is asked for. */
  opened: OpenFolder | undefined;
}

export interface WalkBounds {
  maxEntries: number;
  /** Folders in one another; as many descriptors are open. */
  maxDepth: number;
  /** Milliseconds. */
  within: number;
}

interface WalkOptions {
  signal?: AbortSignal | undefined;
  /** Whether what is in a folder is looked at; all folders are, unless it says so. */
  enters?: (path: string) => boolean;
  /** Called before a folder is closed, by way of which its content was found. */
  leaving?: () => Promise<unknown>;
}

/** Also of folders that git ignores. */
export const WALK: WalkBounds = { maxEntries: 1_000_000, maxDepth: 255, within: 60_000 };

/**
 * Yields everything below a folder, which an agent or a push has filled and may change meanwhile:
 * each folder before its content. No link is followed, so a walk neither leaves the folder nor comes
 * back to where it was; what is removed or replaced at that moment is left out. Throws PodError
 * `too_large` at the bounds, and the reason of `signal` once that is aborted.
 */
export async function* walkTree(
  root: string,
  { maxEntries, maxDepth, within }: WalkBounds = WALK,
  { signal, enters = () => true, leaving }: WalkOptions = {},
): AsyncGenerator<Found> {
  const end = performance.now() + within;
  let entries = 0;
  const pace = pacing();
  const levels = [levelOf(openRoot(root), '')];
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (performance.now() > end)
        throw tooLarge(`could not be looked through within ${within / 1_000} s`);
      await pace();
      signal?.throwIfAborted();
      const entry = level.content.readSync();
      if (entry === null) {
        await leaving?.();
        leave(levels.pop() as Level);
        continue;
      }
      entries += 1;
      if (entries > maxEntries) throw tooLarge(`has more than ${maxEntries} files`);
      // The types of Node.js do not know that a name is a Buffer here.
      const name = entry.name as unknown as Buffer;
      const path = `${level.prefix}${name.toString('latin1')}`;
      const type = typeOf(entry);
      let opened: OpenFolder | undefined;
      if (type === 'folder') {
        opened = unless(REPLACED, () => openFolder(level.folder, name));
        if (opened === undefined) continue;
        levels.push(levelOf(opened, `${path}/`));
      }
      yield { path, name, where: entryIn(level.folder, name), type, opened };
      if (opened === undefined) continue;
      if (!enters(path)) {
        await leaving?.();
        leave(levels.pop() as Level);
      } else if (levels.length > maxDepth + 1)
        throw tooLarge(`has more than ${maxDepth} folders in one another`);
    }
  } finally {
    // Why the walk ends here is thrown already.
    if (levels.length > 0) await leaving?.().catch(() => undefined);
    levels.forEach(leave);
  }
}

interface Level {
  folder: OpenFolder;
  prefix: string;
  content: Dir;
}

function levelOf(folder: OpenFolder, prefix: string): Level {
  try {
    const content = opendirSync(inside(folder, ''), {
      encoding: 'buffer' as BufferEncoding,
      bufferSize: 512,
    });
    return { folder, prefix, content };
  } catch (error) {
    closeSync(folder.fd);
    throw error;
  }
}

function leave({ folder, content }: Level): void {
  try {
    content.closeSync();
  } finally {
    closeSync(folder.fd);
  }
}

export function typeOf(
  entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>,
): Found['type'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

const REPLACED = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'];

const tooLarge = (what: string) => new PodError('too_large', `the work tree ${what}: ${TO_DO}`);
