import { lstat } from 'node:fs/promises';
import { RepositoryError } from '../../code/index.ts';
import { inBytes } from '../../platform/pods/limits.ts';
import { PodError } from '../../platform/pods/pod.ts';
import { WALK, type WalkBounds, walkTree } from '../../platform/pods/tree/walk-tree.ts';

/** What the commit of a task may hold, and how people learn what it does not. */

export interface CommitBounds {
  /** Of one file. */
  fileBytes: number;
  /** Of all files that a commit would hold. */
  bytes: number;
  files: number;
}

const MiB = 1024 ** 2;

/** One file: as code hosts do. All together: as much as a work tree that travels may have. */
export const COMMIT_BOUNDS: CommitBounds = {
  fileBytes: 100 * MiB,
  bytes: 1024 * MiB,
  files: 100_000,
};

/** A file of a work tree; each character of its path stands for a byte. */
export interface SizedFile {
  path: string;
  size: number;
}

/**
 * The files that are too large for a commit. Throws RepositoryError where the others are too many,
 * or too large together.
 */
export function tooLarge(files: readonly SizedFile[], bounds: CommitBounds): SizedFile[] {
  const kept = files.filter(({ size }) => size <= bounds.fileBytes);
  if (kept.length > bounds.files) throw tooMany(kept, bounds);
  const bytes = kept.reduce((total, { size }) => total + size, 0);
  if (bytes > bounds.bytes) {
    const largest = kept.reduce((one, other) => (other.size > one.size ? other : one));
    throw new RepositoryError(
      `The files of the work tree have ${roundedUp(bytes)} together, and a commit may have ` +
        `${inBytes(bounds.bytes)}. The largest is ${told(largest)}. ${NOT_COMMITTED}`,
    );
  }
  return files.filter(({ size }) => size > bounds.fileBytes);
}

export function tooMany(files: readonly { path: string }[], bounds: CommitBounds): RepositoryError {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : './';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const where =
    most === undefined ? '' : ` Of them, ${inDigits(most[1])} are in ${shownPath(most[0])}.`;
  return new RepositoryError(
    `The work tree has more than the ${inDigits(bounds.files)} files that a commit may have.` +
      `${where} ${NOT_COMMITTED}`,
  );
}

const WHAT_TO_DO = 'Let the agent delete what is not needed, or name it in .gitignore.';
const NOT_COMMITTED = `Nothing was committed; all of it is still in the pod. ${WHAT_TO_DO}`;

const MOST_TOLD = 20;

/** What a commit does not have of a work tree. */
export interface LeftOut {
  large: SizedFile[];
  /** Folders whose files are in the commit, but not the history that they have of their own. */
  repositories: string[];
  /** Paths of files that git takes under no such name. */
  refused: string[];
  /** Paths of files that are not in the encoding that `.gitattributes` gives them. */
  unencoded: string[];
  /** Paths of files that could not be looked at, and of folders that are in too many others. */
  unread: string[];
  /** Paths of all these files that the index has as they were committed last. */
  earlier: string[];
}

/** Says what a commit does not have, and why. */
export const leftOutTexts = (
  { large, repositories, refused, unencoded, unread }: LeftOut,
  bounds = COMMIT_BOUNDS,
): string[] => [
  ...(large.length > 0 ? [largeText(large, bounds)] : []),
  ...(repositories.length > 0 ? [repositoriesText(repositories)] : []),
  ...(refused.length > 0 ? [refusedText(refused)] : []),
  ...(unencoded.length > 0 ? [unencodedText(unencoded)] : []),
  ...(unread.length > 0 ? [unreadText(unread)] : []),
];

const repositoriesText = (folders: readonly string[]): string =>
  [
    'Some folders have a Git repository of their own. Their files are committed; the history in ' +
      'their folder .git is only in the pod, and is lost with it.',
    ...listed(folders.map(shownPath)),
  ].join('\n');

const refusedText = (paths: readonly string[]): string =>
  [
    'Some files were not committed: on other systems their names could stand for .git, where Git ' +
      'keeps its own files. They are only in the pod, and are lost with it.',
    ...listed(paths.map(shownPath)),
    'Let the agent rename what is needed.',
  ].join('\n');

const unencodedText = (paths: readonly string[]): string =>
  [
    'Some files were not committed: they are not in the encoding that .gitattributes gives them as ' +
      'working-tree-encoding.',
    ...listed(paths.map(shownPath)),
    `${AS_BEFORE} Let the agent correct .gitattributes, or the encoding of the files.`,
  ].join('\n');

const unreadText = (paths: readonly string[]): string =>
  [
    'Some files were not committed: they cannot be read, or their paths are too long for that.',
    ...listed(paths.map(shownPath)),
    `${AS_BEFORE} Let the agent use fewer folders in one another, or shorter names.`,
  ].join('\n');

/** The first of them, as a list. */
const listed = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MOST_TOLD).map((line) => `- ${line}`),
  ...(lines.length > MOST_TOLD ? [`- and ${lines.length - MOST_TOLD} more`] : []),
];

function largeText(files: readonly SizedFile[], bounds: CommitBounds): string {
  return [
    `Some files were not committed: a file may have at most ${inBytes(bounds.fileBytes)}.`,
    ...listed(files.map(told)),
    `${AS_BEFORE} ${WHAT_TO_DO}`,
  ].join('\n');
}

const AS_BEFORE =
  'What was committed of them before stays as it was. Their content is only in the pod, and is ' +
  'lost with it.';

/** A path, whose characters stand for bytes, in a line of a text. */
export const shownPath = (path: string) =>
  Buffer.from(path, 'latin1')
    .toString('utf8')
    .slice(0, 500)
    .replaceAll(/\p{Cc}/gu, '\u{fffd}');
const roundedUp = (bytes: number) => inBytes(Math.ceil(bytes / MiB) * MiB);
const told = ({ path, size }: SizedFile) => `${shownPath(path)}: ${roundedUp(size)}`;
const inDigits = (count: number) => count.toLocaleString('en');

/** Git reads these into its memory, however large they are, and waits for one that is a pipe. */
const RULES = ['.gitignore', '.gitattributes'];
const MOST_RULES = MiB;
const RULES_WALK = { ...WALK, within: 30_000 };

/** Git opens a folder by its path in the work tree, with `/` at its end, in as many bytes. */
const MOST_PATH = 4_095;
const MOST_TOO_DEEP = 1_000;

/**
 * To be called before git looks at a work tree. Returns the folders that git passes over, because
 * their paths are too long for the system. Throws RepositoryError where a file with rules for
 * git is none that it could read, or there is more than can be looked through.
 */
export async function checkRules(
  workTree: string,
  { bounds = RULES_WALK, signal }: { bounds?: WalkBounds; signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const isTooDeep = (path: string) => path.length >= MOST_PATH;
  const enters = (path: string) => !isTooDeep(path);
  const tooDeep: string[] = [];
  try {
    for await (const { path, name, where, type } of walkTree(workTree, bounds, { signal, enters }))
      if (type === 'folder') {
        if (isTooDeep(path) && tooDeep.push(path) > MOST_TOO_DEEP) throw tooManyTooDeep(path);
      } else if (type !== 'link' && RULES.includes(name.toString('latin1')))
        await checkFile(where, path);
      else if (type === 'other' && path.includes('/.git/') && (await lstat(where)).isFIFO())
        throw pipe(path);
    return tooDeep;
  } catch (error) {
    if (error instanceof PodError && error.code === 'too_large') throw endless(error);
    throw error;
  }
}

/** Git reads the files of a repository within the work tree to learn whether it is one. */
const pipe = (path: string) =>
  new RepositoryError(
    `${shownPath(path)} is a pipe, and Git would wait for it. Nothing was committed; all of it is ` +
      'still in the pod. Let the agent delete it.',
  );

const tooManyTooDeep = (path: string) =>
  new RepositoryError(
    `The work tree has more than ${inDigits(MOST_TOO_DEEP)} folders whose paths are too long, such ` +
      `as ${shownPath(path)}. ${NOT_COMMITTED}`,
  );

const endless = (cause: PodError) =>
  new RepositoryError(
    `${cause.message[0]?.toUpperCase()}${cause.message.slice(1)}. Nothing was committed; all of ` +
      'it is still in the pod.',
    { cause },
  );

async function checkFile(where: Buffer, path: string): Promise<void> {
  const stats = await lstat(where);
  if (stats.isFile() && stats.size <= MOST_RULES) return;
  const name = shownPath(path);
  throw new RepositoryError(
    `${name} must be a file of at most ${inBytes(MOST_RULES)}` +
      `${stats.isFile() ? `, and has ${roundedUp(stats.size)}` : ''}. Nothing was committed; all of ` +
      'it is still in the pod. Let the agent correct or delete it.',
  );
}
