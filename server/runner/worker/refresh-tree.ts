import { commitsAt, NO_COMMIT, refOf } from '../../code/index.ts';
import {
  changeRefs,
  type Git,
  isWithin,
  keepAside,
  mergeTrees,
  pushedMeanwhile,
  savedRefOf,
  startedAgain,
  workRefOf,
  writeWorkTree,
} from './task-branch.ts';

/** What the work tree of a task is based on, and what it should be. */
interface Behind {
  base: string;
  target: string;
  deleted: boolean;
  /** What the work tree held when bringing it up to date was interrupted. */
  saved: string | undefined;
}

/**
 * Whether someone has changed the branch of a task since its work tree was filled or committed, or
 * bringing the tree up to date was interrupted. Undefined if not. `beginning`: the reference that the
 * task began with.
 */
export async function behind(
  git: Git,
  taskId: string,
  beginning: string,
): Promise<Behind | undefined> {
  const refs = [workRefOf(taskId), refOf(taskId), savedRefOf(taskId), beginning];
  const [base, head, saved, main = NO_COMMIT] = await commitsAt(git, refs);
  // Filled by an earlier version, which did not remember.
  if (base === undefined) return undefined;
  if (head !== undefined)
    return head === base && saved === undefined
      ? undefined
      : { base, target: head, deleted: false, saved };
  // No branch yet, or none to begin with any more.
  if (main === NO_COMMIT || (await isWithin(git, base, main))) return undefined;
  return { base, target: main, deleted: true, saved };
}

export interface RefreshOptions {
  /** Ends git when it aborts; the call rejects with an AbortError. */
  signal?: AbortSignal | undefined;
  /**
   * Brings the work tree that is up to date to where its agent has it, before anything says that it is
   * there: the next refresh makes good what was interrupted.
   */
  deliver?: (() => Promise<void>) | undefined;
}

interface RefreshSteps extends RefreshOptions {
  /**
   * Brings the work tree into the index, which has a commit first. Returns the paths that have an
   * earlier content there.
   */
  snapshot: (base: string) => Promise<string[]>;
}

/**
 * Brings a work tree up to date. What it holds and was not committed is merged with what was
 * pushed and remains to be committed; where that conflicts, it gets a branch of its own. Returns a
 * text for people.
 */
export async function refreshTree(
  git: Git,
  taskId: string,
  { base, target, deleted, saved: held }: Behind,
  { snapshot, deliver, signal }: RefreshSteps,
): Promise<string> {
  const saved = savedRefOf(taskId);
  // A tree that is half written may be more than a commit may hold, and is put right all the same.
  const earlier = await (held === undefined ? snapshot(base) : snapshot(held).catch(() => []));
  if (held === undefined) {
    const tree = await git(['write-tree']);
    const same = tree === (await git(['rev-parse', `${base}^{tree}`]));
    held = same
      ? base
      : await git(['commit-tree', tree, '-p', base, '-m', 'Work that was not committed']);
    // After an interruption, the next worker finds a work tree that is neither of the two.
    await git(['update-ref', saved, held]);
  }
  const aside = (conflicts: string[]) => keepAside(git, taskId, held as string, conflicts);
  let tree = `${target}^{tree}`;
  let notice = deleted ? startedAgain(taskId) : pushedMeanwhile(taskId);
  if (held !== base && deleted) notice += ` ${await aside([])}`;
  else if (held !== base) {
    const merged = await mergeTrees(git, { base, ours: target, theirs: held });
    if ('conflicts' in merged) notice = await aside(merged.conflicts);
    else tree = merged.tree;
  }
  // With what the index knows of their files, git writes only those that are to change.
  const knowing = (await changesAttributes(git, held, tree)) ? [] : ['--reset'];
  await git(['read-tree', ...knowing, held]);
  await leaveAlone(git, earlier, { held, tree });
  await writeWorkTree(git, tree, signal);
  await deliver?.();
  await changeRefs(git, `update ${workRefOf(taskId)} ${target}`, `delete ${saved}`);
  return notice;
}

/** By other attributes, such as for line ends, the files of the same blobs have other bytes. */
async function changesAttributes(git: Git, held: string, tree: string): Promise<boolean> {
  const files = ':(glob)**/.gitattributes';
  return (await git(['diff-tree', '-r', '--name-only', held, tree, '--', files])) !== '';
}

/** Git writes none of the files, which have another content than `held`, unless `tree` changes them. */
async function leaveAlone(
  git: Git,
  paths: readonly string[],
  { held, tree }: { held: string; tree: string },
): Promise<void> {
  if (paths.length === 0) return;
  const changed = await git(['diff-tree', '-r', '-z', '--name-only', held, tree], { input: '' });
  const written = new Set(changed.split('\0'));
  const left = paths.filter((path) => !written.has(path));
  const input = left.map((path) => `${path}\0`).join('');
  await git(['update-index', '--skip-worktree', '-z', '--stdin'], { input });
}
