import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitDirOf, runGit } from '../../../code/index.ts';
import type { Pod } from '../../../platform/pods/pod.ts';
import { counter, TREE_BOUNDS } from '../../../platform/pods/tree/bounds.ts';
import { packLargeTree } from '../../../platform/pods/tree/move-large-tree.ts';
import { inStaging, stagingOf } from '../staging.ts';
import type { FillSubmodules } from '../submodules/submodules.ts';

/** A commit of the repository `main` of a project. */
export interface CommitOf {
  projectId: string;
  commit: string;
}

/** What listing the files of a commit may print; far more than the bounds of a tree allow. */
const MOST_LISTED = 128 * 1024 ** 2;
const WITHIN_MS = 300_000;

/**
 * Fills the empty work tree of a new pod with the files of a commit, without `.git`. No process of
 * the pod may run. Throws PodError `too_large` where that is more than the bounds of a tree.
 */
export async function fillPod(
  pod: Pod,
  directory: string,
  { projectId, commit }: CommitOf,
  signal: AbortSignal,
  submodules: FillSubmodules = async () => [],
): Promise<void> {
  const { hostWorkTree, files } = pod;
  await inStaging(stagingOf(directory), async (folder) => {
    const workTree = hostWorkTree ?? join(folder, 'tree');
    await mkdir(workTree, { recursive: true });
    await checkOut({ directory, projectId, commit, workTree, folder, submodules }, signal);
    if (hostWorkTree !== undefined) await files.adopt({ signal, fresh: true });
    else await files.unpack(packLargeTree(workTree, TREE_BOUNDS, { signal }));
  });
  signal.throwIfAborted();
}

interface CheckOut extends CommitOf {
  /** The folder of all repositories. */
  directory: string;
  /** A new folder, in which nothing but git has written. */
  workTree: string;
  /** For what git needs meanwhile. */
  folder: string;
  submodules: FillSubmodules;
}

/** Writes the files of a commit, without `.git`. Throws as `fillPod` does. */
export async function checkOut(
  { directory, projectId, commit, workTree, folder, submodules }: CheckOut,
  signal: AbortSignal | undefined,
): Promise<void> {
  const gitDir = gitDirOf(directory, projectId);
  await checkSize(gitDir, commit, signal);
  const index = { GIT_INDEX_FILE: join(folder, 'index'), GIT_WORK_TREE: workTree };
  const git = (...args: string[]) =>
    runGit(
      ['-c', 'core.bare=false', ...args],
      { GIT_DIR: gitDir, ...index },
      { within: WITHIN_MS, signal },
    );
  await git('read-tree', commit);
  await git('checkout-index', '--all', '--force');
  await submodules({ projectId, commit, workTree }, signal);
}

/** Before anything of it is written. */
async function checkSize(
  gitDir: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['ls-tree', '-r', '-t', '--full-tree', '--long', '-z', commit];
  // With an input, each character that is printed stands for a byte.
  const options = { input: '', most: MOST_LISTED, within: WITHIN_MS, signal };
  const listed = await runGit(args, { GIT_DIR: gitDir }, options);
  const count = counter(TREE_BOUNDS);
  for (const entry of listed.split('\0')) {
    const [, size, path] = /^\S+ \S+ \S+ +(\S+)\t(.*)$/s.exec(entry) ?? [];
    if (path !== undefined) count(size === '-' ? 0 : Number(size), path);
  }
}
