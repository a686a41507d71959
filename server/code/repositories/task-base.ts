import { commitsAt, type Git } from './commits.ts';
import { DEFAULT_BRANCH } from './git.ts';

/**
 * The branch that a task begins with, which is the default one unless its creator chose another. The
 * commit that it was at is kept beside it: a branch can be deleted, and one on another host is not
 * here under its name.
 */

export const refOfBranch = (name: string): string => `refs/heads/${name}`;

/** The last commit of the chosen branch that this server has seen. */
export const keptBaseOf = (taskId: string): string => `refs/guildhall/base/${taskId}`;

/** The reference that a task begins with, once `keepBase` or a fetch has brought it up to date. */
export const beginningOf = (taskId: string, base: string | undefined): string =>
  base === undefined ? DEFAULT_BRANCH : keptBaseOf(taskId);

/** Remembers where a branch of this server is. Returns whether it exists. */
export async function keepBase(git: Git, taskId: string, base: string): Promise<boolean> {
  const kept = keptBaseOf(taskId);
  const [now, before] = await commitsAt(git, [refOfBranch(base), kept]);
  if (now !== undefined && now !== before) await git(['update-ref', kept, now]);
  return now !== undefined;
}

/** The commit that a task is compared with. `onHost`: whether its code is on another host. */
export async function comparedWith(
  git: Git,
  taskId: string,
  { base, onHost }: { base: string | undefined; onHost: boolean },
): Promise<string | undefined> {
  if (base === undefined) return (await commitsAt(git, [DEFAULT_BRANCH]))[0];
  const here = onHost ? [] : [refOfBranch(base)];
  const found = await commitsAt(git, [...here, keptBaseOf(taskId)]);
  return found.find((commit) => commit !== undefined);
}

/** The sentence for people whose task would begin with a branch that is gone. */
export const baseGone = (base: string): string =>
  `The branch ${base}, which this task begins with, does not exist any more: push it again, or ` +
  'create another task.';
