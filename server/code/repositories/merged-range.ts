import { commitsAt, type Git } from './commits.ts';
import { DEFAULT_BRANCH } from './git.ts';
import { keptBaseOf } from './task-base.ts';

/** Two commits between which what a pull request has merged is the difference. */
export interface MergedRange {
  base: string;
  head: string;
}

/** Keeps the commits of what a task has merged, whatever becomes of branches and of the task. */
export const mergedRefOf = (taskId: string): string => `refs/guildhall/merged/${taskId}`;

/** Of a merge that this server has made: all that its commit added to the branch. */
export async function keepMerge(git: Git, taskId: string, commit: string): Promise<MergedRange> {
  const base = await git(['rev-parse', '--verify', `${commit}^1`]);
  return keep(git, taskId, { base, head: commit });
}

/**
 * Of a merge on another host, which has made its commits: what the branch of the task had added to
 * where it began. `base`: the commit of the branch that it was merged into, as the host has named it.
 * Undefined where this server does not have the commits.
 */
export async function keepMergeOfHost(
  git: Git,
  taskId: string,
  { base, head }: { base: string | null; head: string },
): Promise<MergedRange | undefined> {
  if (!(await hasCommit(git, head))) return undefined;
  const [chosen] = await commitsAt(git, [keptBaseOf(taskId)]);
  const other = chosen === undefined ? DEFAULT_BRANCH : keptBaseOf(taskId);
  const before = base !== null && (await hasCommit(git, base)) ? base : other;
  const begun = (await beginning(git, before, head)) ?? (await beforeMergeCommit(git, other, head));
  return begun === undefined ? undefined : keep(git, taskId, { base: begun, head });
}

async function keep(git: Git, taskId: string, range: MergedRange): Promise<MergedRange> {
  await git(['update-ref', mergedRefOf(taskId), range.head]);
  return range;
}

/** Where the branch began; undefined if the other branch has all of it, or nothing of it. */
async function beginning(git: Git, other: string, head: string): Promise<string | undefined> {
  const found = await unless(1, git(['merge-base', other, head]));
  return found === head ? undefined : found;
}

/** The same, where the other branch has all of it by a merge commit. */
async function beforeMergeCommit(git: Git, ref: string, head: string): Promise<string | undefined> {
  const [tip] = await commitsAt(git, [ref]);
  if (tip === undefined) return undefined;
  const path = ['rev-list', '--first-parent', '--ancestry-path', `${head}..${tip}`];
  const merge = (await git(path)).split('\n').at(-1);
  return merge ? beginning(git, `${merge}^1`, head) : undefined;
}

const hasCommit = async (git: Git, id: string): Promise<boolean> =>
  (await unless(128, git(['rev-parse', '--quiet', '--verify', `${id}^{commit}`]), 1)) !== undefined;

/** Undefined if git ends with one of these, which says no. */
const unless = (code: number, answer: Promise<string>, other = code): Promise<string | undefined> =>
  answer.catch((error) => {
    if (error.code !== code && error.code !== other) throw error;
    return undefined;
  });
