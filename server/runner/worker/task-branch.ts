import {
  branchOf,
  commitsAt,
  type GitOptions,
  mergedTree,
  NO_COMMIT,
  RepositoryError,
  refOf,
} from '../../code/index.ts';

/**
 * The branch of a task, to which people push while its agent works. A reference of Guildhall's own
 * remembers which commit the work tree was filled with or committed to last, so that neither
 * overwrites the other (docs/decisions/0041).
 */

/** Runs git in the repository of the task, with its work tree and index. */
export type Git = (
  args: string[],
  options?: Pick<GitOptions, 'input' | 'within' | 'signal'>,
) => Promise<string>;

/** Milliseconds: files of a work tree are written or read, as fast as the disk is. */
export const TREE_WITHIN_MS = 600_000;

/** Makes a work tree what a commit or a tree holds. Errors: RepositoryError when that takes too long. */
export const writeWorkTree = (
  git: Git,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<string> =>
  git(['read-tree', '--reset', '-u', tree], { within: TREE_WITHIN_MS, signal }).catch((error) => {
    throw late(
      error,
      `Git did not write the files of the work tree within ${TREE_WITHIN_MS / 1_000} s: the disk of ` +
        'the server may be slow. Send a message to try again.',
    );
  });

/** An error of git, in this sentence if its time was over. */
export const late = (error: Error & { killed?: boolean }, sentence: string): Error =>
  error.killed === true && error.name !== 'AbortError'
    ? new RepositoryError(sentence, { passes: true })
    : error;

/** Where the agent's work went to, if not only to the branch. */
export interface Placed {
  /** A text for people about it. */
  notice?: string;
  /** Whether the branch that its task begins with does not exist any more. */
  baseGone?: boolean;
}

/** The commit that the work tree of a task is based on. */
export const workRefOf = (taskId: string): string => `refs/guildhall/work/${taskId}`;

/** What a work tree held, as long as it is being brought up to date. */
export const savedRefOf = (taskId: string): string => `refs/guildhall/saved/${taskId}`;

/** How often a branch may move while something is being merged into it. */
const TRIES = 5;
const SHOWN_FILES = 10;

/** Whether a commit is, or comes before, another one. */
export async function isWithin(git: Git, commit: string, other: string): Promise<boolean> {
  if (commit === other) return true;
  return git(['merge-base', '--is-ancestor', commit, other]).then(
    () => true,
    (error) => {
      if (error.code !== 1) throw error;
      return false;
    },
  );
}

/** Changes references together. Refused if one of them is not what it is said to be. */
export const changeRefs = (git: Git, ...changes: string[]): Promise<string> =>
  git(['update-ref', '--stdin'], {
    input: ['start', ...changes, 'prepare', 'commit', ''].join('\n'),
  });

/**
 * Brings the agent's commit, which follows `parent`, to the branch of its task. What was pushed
 * meanwhile is merged with it; where that conflicts, the branch stays as it was pushed and the
 * agent's commit gets a branch of its own. `beginning`: the reference that the task began with.
 * `found`: the commits of both as they were a moment ago.
 */
export async function placeCommit(
  git: Git,
  taskId: string,
  {
    id,
    parent,
    beginning,
    found,
  }: {
    id: string;
    parent: string;
    beginning: string;
    found: { head: string | undefined; main: string | undefined };
  },
): Promise<Placed> {
  const ref = refOf(taskId);
  const based = `update ${workRefOf(taskId)} ${id}`;
  let { head, main = NO_COMMIT } = found;
  for (let tries = 1; ; tries++) {
    const deleted =
      head === undefined && main !== NO_COMMIT && !(await isWithin(git, parent, main));
    let next = id;
    let placed: Placed = deleted ? { notice: restored(taskId) } : {};
    if (head !== undefined && head !== parent) {
      const merged = await mergeTrees(git, { base: parent, ours: head, theirs: id });
      if ('conflicts' in merged) {
        const notice = await keepAside(git, taskId, id, merged.conflicts, based);
        return { notice };
      }
      next = await commitMerged(git, merged.tree, { id, parent, head });
      placed = { notice: pushedMeanwhile(taskId) };
    }
    try {
      await changeRefs(git, `update ${ref} ${next} ${head ?? NO_COMMIT}`, based);
      return placed;
    } catch (error) {
      // Someone has pushed since.
      const before = head;
      [head, main = NO_COMMIT] = await commitsAt(git, [ref, beginning]);
      if (tries === TRIES || head === before) throw error;
    }
  }
}

/** A merge, unless the branch was rewritten: then the agent's commit alone follows it. */
export async function commitMerged(
  git: Git,
  tree: string,
  { id, parent, head }: { id: string; parent: string; head: string },
): Promise<string> {
  if (await isWithin(git, parent, head))
    return git(['commit-tree', tree, '-p', head, '-p', id, '-m', 'Merge what was pushed']);
  const message = await git(['log', '-1', '--format=%B', id]);
  return git(['commit-tree', tree, '-p', head, '-m', message]);
}

/**
 * Merges two trees that began with a third one. The commits are made for this: Git looks for where
 * two commits began, which is another one once a branch was rewritten.
 */
export async function mergeTrees(
  git: Git,
  { base, ours, theirs }: { base: string; ours: string; theirs: string },
): Promise<{ tree: string } | { conflicts: string[] }> {
  const begin = await git(['commit-tree', `${base}^{tree}`, '-m', 'base']);
  const side = (of: string) => git(['commit-tree', `${of}^{tree}`, '-p', begin, '-m', 'side']);
  return mergedTree(git, await side(ours), await side(theirs));
}

/** Gives a commit that could not be merged a branch of its own. Returns what to do with it. */
export async function keepAside(
  git: Git,
  taskId: string,
  id: string,
  conflicts: readonly string[],
  ...changes: string[]
): Promise<string> {
  const aside = await nextAside(git, taskId);
  await changeRefs(git, `create refs/heads/${aside} ${id}`, ...changes);
  return conflictText(taskId, aside, conflicts);
}

/** A name for what could not be merged, which is given once: those on another host count, too. */
export async function nextAside(git: Git, taskId: string): Promise<string> {
  const prefix = `${branchOf(taskId)}-conflict-`;
  const elsewhere = `refs/guildhall/fetched/${prefix.slice('task/'.length)}*`;
  const places = [`refs/heads/${prefix}*`, elsewhere];
  const all = await git(['for-each-ref', '--format=%(refname)', ...places]);
  const numbers = all.split('\n').map((name) => Number(name.split('-').at(-1)) || 0);
  return `${prefix}${Math.max(...numbers) + 1}`;
}

/** The notice again, of a commit that got a branch of its own before. */
export async function conflictOf(git: Git, taskId: string, id: string): Promise<Placed> {
  const [aside] = (
    await git([
      'for-each-ref',
      '--format=%(refname:short)',
      `--points-at=${id}`,
      `refs/heads/${branchOf(taskId)}-conflict-*`,
    ])
  ).split('\n');
  return aside ? { notice: conflictText(taskId, aside, []) } : {};
}

function conflictText(taskId: string, aside: string, conflicts: readonly string[]): string {
  const branch = branchOf(taskId);
  const more = conflicts.length > SHOWN_FILES ? ', …' : '';
  const files = conflicts.slice(0, SHOWN_FILES).join(', ');
  return (
    `What the agent has done conflicts with what was done to the branch ${branch}` +
    `${files === '' ? '' : ` (${files}${more})`}, which stays as it is. The agent's work is on ` +
    `the branch ${aside}: to keep it, merge ${aside} into ${branch} and push ${branch}.`
  );
}

export const pushedMeanwhile = (taskId: string): string =>
  `Someone has changed the branch ${branchOf(taskId)} meanwhile: it has their changes and the ` +
  "agent's.";

export const restored = (taskId: string): string =>
  `Someone has deleted the branch ${branchOf(taskId)} while the agent worked. It is there again, ` +
  'with everything that the agent had.';

export const startedAgain = (taskId: string): string =>
  `Someone has deleted the branch ${branchOf(taskId)}: the work begins again from the branch that ` +
  'the task began with.';
