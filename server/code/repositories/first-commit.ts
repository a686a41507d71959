import { DEFAULT_BRANCH, EMPTY_TREE, runGit } from './git.ts';

/** The default branch of a repository that nobody has put anything into, and its only commit. */
interface FirstCommit {
  ref: string;
  commit: string;
}

const WITHIN_MS = 10_000;

/**
 * Where a repository holds nothing but the empty commit that this server has made: no other branch,
 * no tag, no file. Undefined as soon as it holds anything else.
 */
export async function firstCommitOf(
  gitDir: string,
  signal?: AbortSignal,
): Promise<FirstCommit | undefined> {
  const git = (args: string[]) => runGit(args, { GIT_DIR: gitDir }, { within: WITHIN_MS, signal });
  const format = '--format=%(refname) %(objectname) %(tree) %(parent)';
  const printed = await git(['for-each-ref', '--count=2', format, 'refs/heads', 'refs/tags']);
  const [line = '', second] = printed.split('\n');
  const [ref, commit, tree, parent = ''] = line.split(' ');
  if (second !== undefined || ref === undefined || commit === undefined) return undefined;
  if (tree !== EMPTY_TREE || parent !== '') return undefined;
  return (await git(['symbolic-ref', DEFAULT_BRANCH])) === ref ? { ref, commit } : undefined;
}
