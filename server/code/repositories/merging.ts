import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readFolderId } from '../../platform/folder-id.ts';
import { inBytes } from '../../platform/pods/limits.ts';
import type { TreeBounds } from '../../platform/pods/pod.ts';
import { TREE_BOUNDS } from '../../platform/pods/tree/bounds.ts';
import { hasBuildFile } from './build-file.ts';
import { commitsAt, type Git, mergedTree, outgrows } from './commits.ts';
import {
  DEFAULT_BRANCH,
  type GitOptions,
  gitDirOf,
  isFolder,
  NO_COMMIT,
  refOf,
  runGit,
} from './git.ts';
import { keepMerge, type MergedRange } from './merged-range.ts';
import { refOfBranch } from './task-base.ts';
import type { TaskOf } from './task-diff.ts';
import { type Asker, takeTurns } from './turns.ts';

/** The branches of a task's repository on this machine, and how one is merged into another. */
export interface Merging {
  /** The last commit of a task, if it has one; `elsewhere` without the folder of the workers. */
  headOf(task: TaskOf, signal: AbortSignal): Promise<string | undefined | 'elsewhere'>;
  /** Whether a commit of the project has a build file. */
  hasBuildFile(projectId: string, commit: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Both branches, and whether they can be merged if both exist; undefined without the repository.
   * Git ends when the asker's signal says so, which throws an AbortError.
   */
  compare(branches: Branches, asker: Asker): Promise<Compared | undefined>;
  /**
   * Merges a task's branch into another one. The same `id` is merged once, whoever asks and however
   * often. Errors: MergeRefused.
   */
  merge(merge: MergeOrder): Promise<string>;
  /** Keeps what a merge of this server has merged, for ever. It may be called again. */
  keep(task: TaskOf, commit: string): Promise<MergedRange>;
  /** How many commits a branch has up to this one, counted along first parents. */
  heightOf(projectId: string, commit: string): Promise<number>;
}

interface Branches extends TaskOf {
  /** The name of the branch to merge into. */
  base: string;
  /** The branch that the task began with, if it is not the default one: it has existed. */
  begins?: string | null;
}

/** Commits; undefined for a branch that does not exist. */
interface Heads {
  base: string | undefined;
  head: string | undefined;
}

export interface Compared {
  heads: Heads;
  /** Undefined while the branch of the task does not exist, and where comparing takes too long. */
  tried?: Tried;
}

/**
 * `conflicts`: paths, at most 100; none for branches without a common commit, or with more files
 * together than a branch may have.
 */
interface Tried {
  mergeable: boolean;
  conflicts: string[];
  /** Why not, in the words of the merge that would be refused. */
  reason?: string;
}

export interface MergeOrder extends Branches {
  /** Names the merge, in a trailer of its commit. */
  id: string;
  method: 'merge' | 'squash';
  /** The commit that was decided on. */
  head: string;
  message: string;
}

/** Why a branch cannot be merged now: `code` for programs, the message for people. */
export class MergeRefused extends Error {
  readonly code:
    | 'head_changed'
    | 'base_gone'
    | 'base_changed'
    | 'branch_impossible'
    | 'conflicts'
    | 'unrelated_histories'
    | 'too_large'
    | 'too_many_files'
    | 'not_mergeable'
    | 'pull_request_closed';

  constructor(code: MergeRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The trailer that says which merge made a commit. */
const TRAILER = 'Guildhall-Merge';
/** Paths in conflict that are shown. */
const MOST_CONFLICTS = 100;
/** Pairs of branches that one process compares at once, each for another person. */
const AT_ONCE = 3;
/** Pairs of commits that are known to be mergeable, each of 120 bytes. */
const MOST_KNOWN = 10_000;
/** How long git may take to answer a question, and to merge, in milliseconds. */
const COMPARE_WITHIN_MS = 15_000;
const MERGE_WITHIN_MS = 30_000;
/** What renames cost grows with the square of their number. */
const SETTINGS = ['-c', 'merge.renameLimit=1000', '-c', 'diff.renameLimit=1000'];
/** How often a base that moves meanwhile is merged again. */
const ATTEMPTS = 20;
const PAUSE_MS = 50;
/** How many commits of the base are searched for one that an earlier attempt has made. */
const SEARCHED = 10_000;

/**
 * `directory`: where the repositories of all projects are; it may be missing. `bounds`: of what a
 * branch may hold, as for what is pushed.
 */
export function openMerging(directory: string, bounds: TreeBounds = TREE_BOUNDS): Merging {
  const gitIn =
    (projectId: string, options: GitOptions = {}, env: Record<string, string> = {}): Git =>
    (args) =>
      runGit(
        [...SETTINGS, ...args],
        { GIT_DIR: gitDirOf(directory, projectId), ...env },
        { within: MERGE_WITHIN_MS, ...options },
      );
  const inTurn = takeTurns(AT_ONCE);
  /** They stay so, and to try it again takes time for each file of the branch. The oldest goes first. */
  const mergeable = new Set<string>();

  /** What the attempt makes is not kept; the reaper knows the folder if this process dies. */
  async function attempt(
    { projectId, branch }: { projectId: string; branch: string },
    base: string,
    head: string,
    signal: AbortSignal,
  ): Promise<Tried | undefined> {
    const kept = join(gitDirOf(directory, projectId), 'objects');
    const objects = await mkdtemp(join(kept, 'tmp_objdir-merge-'));
    try {
      const git = gitIn(
        projectId,
        { signal, within: COMPARE_WITHIN_MS },
        { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: kept },
      );
      if (await isUnrelated(git, base, head)) return not(unrelatedTo(branch));
      const merged = await mergedTree(git, base, head);
      if ('conflicts' in merged)
        return not(conflictsWith(branch, merged.conflicts), merged.conflicts);
      if (await outgrows(git, merged.tree, base, bounds)) return not(tooManyFiles(branch, bounds));
      return { mergeable: true, conflicts: [] };
    } catch (error) {
      if (signal.aborted || !isKilled(error)) throw error;
      return undefined;
    } finally {
      await rm(objects, { recursive: true, force: true });
    }
  }

  return {
    headOf: async ({ projectId, taskId }, signal) => {
      // The folder of the workers has a repository from the first work in its project on.
      if (!(await isFolder(gitDirOf(directory, projectId))))
        return (await readFolderId(directory)) === undefined ? 'elsewhere' : undefined;
      const [head] = await commitsAt(gitIn(projectId, { signal }), [refOf(taskId)]);
      return head;
    },
    hasBuildFile: (projectId, commit, signal) =>
      hasBuildFile(gitDirOf(directory, projectId), commit, signal),
    compare: async ({ projectId, taskId, base: branch, begins }, asker) => {
      if (!(await isFolder(gitDirOf(directory, projectId)))) return undefined;
      return inTurn(asker, async () => {
        const { signal } = asker;
        const git = gitIn(projectId, { signal });
        const refs = [refOfBranch(branch), refOf(taskId), DEFAULT_BRANCH];
        const [base, head, begun] = await commitsAt(git, refs);
        const from = base ?? begun;
        const heads = { base, head };
        if (base === undefined && branch === begins && head !== undefined)
          return { heads, tried: not(baseGoneFor(branch)) };
        if (from === undefined || head === undefined) return { heads };
        const pair = `${projectId} ${from} ${head}`;
        if (mergeable.has(pair)) return { heads, tried: { mergeable: true, conflicts: [] } };
        const tried = await attempt({ projectId, branch }, from, head, signal);
        if (tried?.mergeable) mergeable.add(pair);
        const [oldest = ''] = mergeable;
        if (mergeable.size > MOST_KNOWN) mergeable.delete(oldest);
        return { heads, ...(tried === undefined ? {} : { tried }) };
      });
    },
    merge: async (order) => {
      const git = gitIn(order.projectId);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const merged = await mergeOnce(git, order, bounds);
        if (merged !== undefined) return merged;
        await setTimeout(PAUSE_MS * (0.5 + Math.random()));
      }
      throw new Error(`the branch ${order.base} moved ${ATTEMPTS} times`);
    },
    keep: ({ projectId, taskId }, commit) => keepMerge(gitIn(projectId), taskId, commit),
    heightOf: async (projectId, commit) =>
      Number(await gitIn(projectId)(['rev-list', '--count', '--first-parent', commit])),
  };
}

const not = ({ message: reason }: MergeRefused, conflicts: string[] = []): Tried => ({
  mergeable: false,
  conflicts: conflicts.slice(0, MOST_CONFLICTS),
  reason,
});

/** Undefined if it is to be tried again. */
async function mergeOnce(
  git: Git,
  order: MergeOrder,
  bounds: TreeBounds,
): Promise<string | undefined> {
  const ref = refOfBranch(order.base);
  const [base, head] = await commitsAt(git, [ref, refOf(order.taskId)]);
  if (base === undefined) {
    if (order.base === order.begins) throw baseGoneFor(order.base);
    // A merge target that does not exist yet begins where the default branch is.
    await git(['update-ref', ref, DEFAULT_BRANCH, NO_COMMIT]).catch((error) => {
      const [, other] = IN_THE_WAY.exec(error.stderr) ?? [];
      if (other !== undefined) throw impossible(order.base, other);
    });
    return undefined;
  }
  const made = await findMerge(git, base, order);
  if (made !== undefined) return made;
  if (head !== order.head)
    throw new MergeRefused(
      'head_changed',
      `The branch of the task is at ${head ?? 'no commit'} now, not at ${order.head}: look at the ` +
        'changes, then merge again.',
    );
  if (await isUnrelated(git, base, head)) throw unrelatedTo(order.base);
  const merged = await mergedTree(git, base, head).catch((error) => {
    if (!isKilled(error)) throw error;
    throw new MergeRefused(
      'too_large',
      `Merging into ${order.base} takes more than ${MERGE_WITHIN_MS / 1_000} s: bring the changes ` +
        `of ${order.base} into the branch of the task with Git, push it, then merge again.`,
    );
  });
  if ('conflicts' in merged) throw conflictsWith(order.base, merged.conflicts);
  if (await outgrows(git, merged.tree, base, bounds)) throw tooManyFiles(order.base, bounds);
  const parents = order.method === 'merge' ? ['-p', base, '-p', head] : ['-p', base];
  const message = `${order.message}\n${TRAILER}: ${order.id}`;
  const id = await git(['commit-tree', merged.tree, ...parents, '-m', message]);
  // Refused if the base has moved, or someone else is just moving it.
  return git(['update-ref', ref, id, base]).then(
    () => id,
    () => undefined,
  );
}

/** What git says where a branch would be both a file and a folder. */
const IN_THE_WAY = /'refs\/heads\/([^']+)' exists; cannot create/;

const impossible = (branch: string, other: string) =>
  new MergeRefused(
    'branch_impossible',
    `The branch ${branch} cannot be made beside ${other}: choose another merge target.`,
  );

const baseGoneFor = (base: string) =>
  new MergeRefused(
    'base_gone',
    `The branch ${base}, which this task began with, does not exist any more: push it again, or ` +
      'choose another merge target.',
  );

const unrelatedTo = (base: string) =>
  new MergeRefused(
    'unrelated_histories',
    `The branch has no commit in common with ${base}, because its history was begun elsewhere: begin ` +
      `a branch at ${base} with Git, commit the files there, and push it over the branch of the task ` +
      'with --force. A whole history is imported into, or first pushed to, an empty repository.',
  );

function conflictsWith(base: string, paths: readonly string[]): MergeRefused {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more files` : '';
  return new MergeRefused(
    'conflicts',
    `The branch conflicts with ${base} in ${paths.slice(0, 5).join(', ')}${more}: ask the agent ` +
      `to bring the changes of ${base} into its branch.`,
  );
}

const tooManyFiles = (branch: string, { maxEntries, maxBytes }: TreeBounds) =>
  new MergeRefused(
    'too_many_files',
    `With this task, ${branch} would hold more than the ${maxEntries.toLocaleString('en')} files and ` +
      `folders, or the ${inBytes(maxBytes)}, that a branch may have: delete what is not needed, in the ` +
      `branch of the task or in ${branch}, then merge again.`,
  );

/**
 * The commit that an earlier attempt has made. What only looks like it counts for nothing: the
 * trailer must be one, and what it merged the commit that was decided on.
 */
async function findMerge(
  git: Git,
  base: string,
  { id, method, head }: MergeOrder,
): Promise<string | undefined> {
  const log = [
    'log',
    '--first-parent',
    `--max-count=${SEARCHED}`,
    '--fixed-strings',
    `--grep=${id}`,
    `--format=%H %P%x09%(trailers:key=${TRAILER},valueonly,separator=%x20)`,
    base,
  ];
  // It was made after what it merges, so that it is not among those that came before: of a long
  // history, few are read. What was merged may be gone, without its branch.
  const printed = await git([...log, `^${head}`, '--']).catch((error) => {
    if (error.code !== 128) throw error;
    return git([...log, '--']);
  });
  for (const line of printed.split('\n')) {
    const [commits = '', trailer] = line.split('\t');
    const [commit, , merged] = commits.split(' ');
    if (trailer === id && merged === (method === 'merge' ? head : undefined)) return commit;
  }
  return undefined;
}

/** Whether two commits have none in common: nothing of them can be merged. */
const isUnrelated = (git: Git, base: string, head: string): Promise<boolean> =>
  git(['merge-base', base, head]).then(
    () => false,
    (error) => {
      if (error.code !== 1) throw error;
      return true;
    },
  );

/** Whether git was ended because it took too long. */
const isKilled = (error: unknown): boolean => (error as { killed?: boolean }).killed === true;
