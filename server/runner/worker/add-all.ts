import { createHash } from 'node:crypto';
import { constants, lstatSync, type Stats } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RepositoryError } from '../../code/index.ts';
import { pacing } from '../../platform/pods/tree/turn-of-others.ts';
import { addEncoded } from './add-encoded.ts';
import {
  type CommitBounds,
  checkRules,
  type LeftOut,
  type SizedFile,
  shownPath,
  tooLarge,
  tooMany,
} from './commit-bounds.ts';
import { isSince } from './kept-index.ts';
import { late, TREE_WITHIN_MS } from './task-branch.ts';

/**
 * Runs git with the index in question and a folder for the work tree; each character stands for a
 * byte, except in the name of the folder.
 */
type Git = (
  args: string[],
  options: { input: string; within: number; workTree: string },
) => Promise<string>;

const SUBMODULE = '160000';
/** Each takes a process of git, and their files are listed before they are counted. */
const MOST_REPOSITORIES = 100;
const LIST_WITHIN_MS = 60_000;

interface AddOptions {
  workTree: string;
  /** A folder at the top whose changes are left out. */
  except: string;
  bounds: CommitBounds;
  signal: AbortSignal | undefined;
  /** Where the index knows files from before: as of when, and what makes it know none. */
  kept?: { knownAt: number; readAnew: () => Promise<unknown> } | undefined;
}

/**
 * Brings all changes of a work tree into the index, as `git add --all` does. That runs `git status`
 * in each submodule, and so any program that the settings of the submodule name: an agent could run
 * programs outside of its pod. Submodules therefore stay as they are. Of a new repository within
 * the work tree the files are added, and not its history, which only its own git could read.
 *
 * Returns what was left out: the files that are too large, found before git reads any of them, the
 * folders of new repositories, files that git passes over because of their names, those that have
 * changed and are not in the encoding that they should have, and those that cannot be looked at. Throws
 * RepositoryError where all of it is more than a commit may hold.
 */
export async function addAll(
  git: Git,
  { workTree, except, bounds, signal, kept }: AddOptions,
): Promise<LeftOut> {
  const tooDeep = await checkRules(workTree, { signal });
  const list = async (folder: string, ...which: string[]) =>
    (
      await git(['ls-files', '-z', ...which, '--', '.', `:(exclude,top)${except}`], {
        input: '',
        within: LIST_WITHIN_MS,
        workTree: join(workTree, folder),
      }).catch((error) => {
        if (error.code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
          throw notThrough(error, LIST_WITHIN_MS);
        throw tooMany([], bounds);
      })
    )
      .split('\0')
      .filter((line) => line !== '');
  const added: string[] = [];
  const repositories: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    // A link that took its place since git has seen it would lead outside.
    const name = await nameOf(workTree, folder);
    for (const path of await list(name, '--others', '--exclude-standard'))
      if (path.endsWith('/')) folders.push(`${folder}${path}`);
      else added.push(`${folder}${path}`);
    if (folder !== '') repositories.push(folder);
    if (folders.length > MOST_REPOSITORIES) throw tooManyRepositories(folders.slice(1));
    if (added.length > bounds.files)
      throw tooMany(
        added.map((path) => ({ path })),
        bounds,
      );
  }
  /** What the index has of each file, by its path: the mode, the blob, the stage and the path. */
  const staged = new Map(
    (await list('', '--stage'))
      .filter((line) => !line.startsWith(SUBMODULE))
      .map((line) => [line.slice(line.indexOf('\t') + 1), line]),
  );
  const tracked = [...staged.keys()];

  const { files, unread } = await sizesOf(workTree, [...tracked, ...added]);
  const there = new Set([...files.map(({ path }) => path), ...unread]);
  const large = tooLarge(files, bounds);
  const leftOut = new Set(large.map(({ path }) => path));
  const end = performance.now() + TREE_WITHIN_MS;
  const update = async (options: string[], lines: readonly string[]) => {
    const input = lines.map((line) => `${line}\0`).join('');
    if (input === '') return;
    await git(['update-index', '-z', ...options], {
      input,
      within: Math.max(1, Math.ceil(end - performance.now())),
      workTree,
    }).catch((error) => {
      throw notThrough(error, TREE_WITHIN_MS);
    });
  };
  const notIgnored = async (folders: string[]): Promise<string[]> => {
    if (folders.length === 0) return [];
    const input = folders.map((path) => `${path}\0`).join('');
    // It ends with 1 where none is ignored.
    const ignored = await git(['check-ignore', '-z', '--no-index', '--stdin'], {
      input,
      within: LIST_WITHIN_MS,
      workTree,
    }).catch((error) => {
      if (error.code === 1) return '';
      throw notThrough(error, LIST_WITHIN_MS);
    });
    const without = new Set(ignored.split('\0'));
    return folders.filter((path) => !without.has(path)).map((path) => `${path}/`);
  };
  if (kept !== undefined) {
    // By other attributes, such as for line ends, the same files are other blobs.
    const changed = files.some(
      ({ path, changedAt }) => isAttributes(path) && isSince(changedAt, kept.knownAt),
    );
    if (changed || tracked.some((path) => isAttributes(path) && !there.has(path)))
      await kept.readAnew();
    else
      await update(
        ['--index-info'],
        files.flatMap(({ path, changedAt }) =>
          isSince(changedAt, kept.knownAt) ? (staged.get(path) ?? []) : [],
        ),
      );
  }
  await update(
    ['--force-remove', '--stdin'],
    tracked.filter((path) => !there.has(path)),
  );
  const unencoded = await addEncoded(
    files.map(({ path }) => path).filter((path) => !leftOut.has(path)),
    (paths) => update(['--add', '--remove', '--replace', '--stdin'], paths),
  );
  for (const path of [...unencoded, ...unread]) leftOut.add(path);
  const cached = new Set(added.length === 0 ? added : await list('', '--cached'));
  const refused = added.filter(
    (path) => there.has(path) && !leftOut.has(path) && !cached.has(path),
  );
  const hidden = await notIgnored(tooDeep.filter((path) => !path.startsWith(`${except}/`)));
  const changed = await changedOf(workTree, unencoded, staged);
  return {
    large,
    repositories,
    refused,
    unencoded: changed,
    unread: [...unread, ...hidden],
    earlier: [...large.map(({ path }) => path), ...changed, ...unread].filter((path) =>
      staged.has(path),
    ),
  };
}

/**
 * Those of the paths whose files have other bytes than their blobs. Git writes a file as it is that
 * it cannot encode, such as for an encoding that was pushed and that it does not know.
 */
async function changedOf(
  workTree: string,
  paths: readonly string[],
  staged: ReadonlyMap<string, string>,
): Promise<string[]> {
  const root = Buffer.from(await realpath(workTree)).toString('latin1');
  const changed: string[] = [];
  for (const path of paths)
    if (
      staged.get(path)?.split(' ', 2)[1] !== (await blobOf(Buffer.from(join(root, path), 'latin1')))
    )
      changed.push(path);
  return changed;
}

/** The id of the blob that a file would be as it is; empty where that cannot be read. */
async function blobOf(full: Buffer): Promise<string> {
  // What has taken its place meanwhile, such as a pipe, is not waited for.
  const file = await open(full, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  try {
    if (file === undefined) return '';
    const { size } = await file.stat();
    const hash = createHash('sha1').update(`blob ${size}\0`);
    await pipeline(file.createReadStream({ autoClose: false }), hash);
    return hash.digest('hex');
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

const notThrough = (error: Error, within: number): Error =>
  late(
    error,
    `Git did not get through the work tree within ${within / 1_000} s. Nothing was ` +
      'committed; all of it is still in the pod. Send a message to try again.',
  );

/**
 * The path of a new repository, from the top of the work tree. Throws RepositoryError where it
 * cannot be told to git, whose environment is UTF-8, or is no folder any more.
 */
async function nameOf(workTree: string, folder: string): Promise<string> {
  const bytes = Buffer.from(folder, 'latin1');
  const name = bytes.toString('utf8');
  const root = Buffer.from(await realpath(workTree)).toString('latin1');
  const full = join(root, folder).replace(/\/$/, '');
  if (Buffer.from(name).equals(bytes) && isReal(full, realFolders(root))) return name;
  throw new RepositoryError(
    `The files of the Git repository ${shownPath(folder)} cannot be read. Nothing was committed; ` +
      'all of it is still in the pod. Let the agent rename it, or delete its folder .git.',
  );
}

const tooManyRepositories = (folders: readonly string[]) =>
  new RepositoryError(
    `The work tree has more than ${MOST_REPOSITORIES} new Git repositories, such as ` +
      `${shownPath(folders[0] ?? '')}. Nothing was committed; all of it is still in the pod. Let ` +
      'the agent delete what is not needed, or name it in .gitignore.',
  );

const isAttributes = (path: string): boolean =>
  path.slice(path.lastIndexOf('/') + 1) === '.gitattributes';

interface LookedAt extends SizedFile {
  /** Milliseconds, as of `Date.now()`. Nobody can set it. */
  changedAt: number;
}

/** Those of the paths that lead to a file or a link, and those that do not say. */
async function sizesOf(workTree: string, paths: readonly string[]) {
  const root = Buffer.from(await realpath(workTree)).toString('latin1');
  const folders = realFolders(root);
  const files: LookedAt[] = [];
  const unread: string[] = [];
  const pace = pacing();
  for (const path of paths) {
    await pace();
    const file = sized(join(root, path), path, folders);
    if (typeof file === 'string') unread.push(file);
    else if (file !== undefined) files.push(file);
  }
  return { files, unread };
}

/**
 * Undefined where a folder has taken its place, or a link that of a folder on its path. The path
 * where nobody can say, as of one that is too long for the system.
 */
function sized(
  full: string,
  path: string,
  folders: Map<string, boolean>,
): LookedAt | string | undefined {
  let stats: Stats;
  try {
    stats = lstatSync(Buffer.from(full, 'latin1'));
  } catch (error) {
    return NOT_THERE.includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : path;
  }
  if (!(stats.isFile() || stats.isSymbolicLink())) return undefined;
  if (!isReal(parentOf(full), folders)) return undefined;
  return { path, size: stats.size, changedAt: stats.ctimeMs };
}

const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** What is known of folders; `isReal` adds to it. */
const realFolders = (root: string) =>
  new Map([
    ['', false],
    [root, true],
  ]);

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

/**
 * Whether this is a folder below the root, and no link is on its path from there. Each folder is
 * looked at once: `realpath` looks at every one on the path, and takes milliseconds for a long path.
 */
function isReal(folder: string, folders: Map<string, boolean>): boolean {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const real = isReal(parentOf(folder), folders) && isFolder(Buffer.from(folder, 'latin1'));
  folders.set(folder, real);
  return real;
}

function isFolder(path: Buffer): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
