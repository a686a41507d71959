import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeBounds } from '../../platform/pods/pod.ts';
import { DEFAULT_BRANCH, EMPTY_TREE } from './git.ts';

/** What is asked of the commits of a repository. */

/** Runs git in a repository. */
export type Git = (args: string[]) => Promise<string>;

/**
 * The commits that references and the default branch name; undefined for one that does not exist.
 */
export async function commitsAt(git: Git, refs: string[]): Promise<(string | undefined)[]> {
  const format = '--format=%(refname) %(objectname)';
  const others = refs.filter((ref) => ref !== DEFAULT_BRANCH);
  const [printed, head] = await Promise.all([
    // Without a pattern, git would list every reference.
    others.length === 0 ? '' : git(['for-each-ref', format, ...others]),
    refs.includes(DEFAULT_BRANCH) ? defaultCommit(git) : undefined,
  ]);
  const lines = printed.split('\n');
  const found = new Map(lines.map((line) => line.split(' ') as [string, string]));
  return refs.map((ref) => (ref === DEFAULT_BRANCH ? head : found.get(ref)));
}

/**
 * The reference that the default branch is now: git takes one process less for it than for its
 * general name.
 */
export async function defaultRef(gitDir: string): Promise<string> {
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8');
  return /^ref: (refs\/heads\/\S+)\n$/.exec(head)?.[1] ?? DEFAULT_BRANCH;
}

// for-each-ref does not list it.
const defaultCommit = (git: Git): Promise<string | undefined> =>
  git(['rev-parse', '--verify', '--quiet', DEFAULT_BRANCH]).catch((error) => {
    if (error.code !== 1) throw error;
    return undefined;
  });

/**
 * The tree of two commits merged, or the paths that conflict. A path that is not UTF-8 is shown with
 * replacement characters. No attributes of the files have a say, as in a difference: which ones git
 * would look at in a bare repository depends on its version. `git merge-tree` ends with 1 if there are conflicts; it prints the tree,
 * then their paths, each ended by a NUL.
 */
export async function mergedTree(
  git: Git,
  ours: string,
  theirs: string,
): Promise<{ tree: string } | { conflicts: string[] }> {
  const args = [
    '-c',
    `attr.tree=${EMPTY_TREE}`,
    'merge-tree',
    '--write-tree',
    '--name-only',
    '--no-messages',
    '-z',
    ours,
    theirs,
  ];
  try {
    return { tree: (await git(args)).replaceAll('\0', '') };
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string };
    if (code !== 1 || typeof stdout !== 'string') throw error;
    const [, ...paths] = stdout.split('\0').filter((part) => part !== '');
    return { conflicts: paths };
  }
}

/**
 * Whether a tree holds more than it may, and more than the one that it follows: what is too large
 * already can still be made smaller.
 */
export async function outgrows(
  git: Git,
  tree: string,
  before: string,
  bounds: TreeBounds,
): Promise<boolean> {
  const { entries, bytes } = await sizeOf(git, tree);
  if (entries <= bounds.maxEntries && bytes <= bounds.maxBytes) return false;
  const earlier = await sizeOf(git, before);
  return (
    (entries > bounds.maxEntries && entries > earlier.entries) ||
    (bytes > bounds.maxBytes && bytes > earlier.bytes)
  );
}

/** What a tree holds: files, folders and links, and the bytes of files. */
export async function sizeOf(git: Git, tree: string): Promise<{ entries: number; bytes: number }> {
  const args = ['ls-tree', '-r', '-t', '--full-tree', '--format=%(objectsize)', tree];
  const sizes = (await git(args)).split('\n').filter(Boolean);
  // Folders have none.
  return {
    entries: sizes.length,
    bytes: sizes.reduce((sum, size) => sum + (Number(size) || 0), 0),
  };
}
