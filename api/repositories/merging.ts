import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gitDirOf, refOf, runGit } from './git.ts';
import type { TaskOf } from './task-diff.ts';
import { type Asker, takeTurns } from './turns.ts';

/** The branches of a task's repository on this machine, and how one is merged into another. */
export interface Merging {
  /** The last commit of a task, if it has one; `elsewhere` without the repository. */
  headOf(task: TaskOf, signal: AbortSignal): Promise<string | undefined | 'elsewhere'>;
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
}

export interface Branches extends TaskOf {
  /** The name of the branch to merge into. */
  base: string;
}

/** Commits; undefined for a branch that does not exist. */
export interface Heads {
  base: string | undefined;
  head: string | undefined;
}

export interface Compared {
  heads: Heads;
  /** Paths in conflict, at most 100; undefined while one of the branches does not exist. */
  conflicts?: string[];
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
  readonly code: 'head_changed' | 'base_missing' | 'conflicts';

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
/** How often a base that moves meanwhile is merged again. */
const ATTEMPTS = 20;
const PAUSE_MS = 50;
/** How many commits of the base are searched for one that an earlier attempt has made. */
const SEARCHED = 10_000;

/** `directory`: where the repositories of all projects are; it may be missing. */
export function openMerging(directory: string): Merging {
  const gitIn =
    (projectId: string, signal?: AbortSignal, env: Record<string, string> = {}) =>
    (...args: string[]) =>
      runGit(args, { GIT_DIR: gitDirOf(directory, projectId), ...env }, { signal });

  const inTurn = takeTurns(AT_ONCE);

  /** What the attempt makes is not kept. */
  async function conflictsOf(projectId: string, base: string, head: string, signal: AbortSignal) {
    const objects = await mkdtemp(join(tmpdir(), 'guildhall-merge-'));
    try {
      const git = gitIn(projectId, signal, {
        GIT_OBJECT_DIRECTORY: objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitDirOf(directory, projectId), 'objects'),
      });
      return (await mergedTree(git, base, head)).conflicts;
    } finally {
      await rm(objects, { recursive: true, force: true });
    }
  }

  return {
    headOf: async ({ projectId, taskId }, signal) => {
      if (!(await isFolder(gitDirOf(directory, projectId)))) return 'elsewhere';
      const ref = refOf(taskId);
      return (await headsIn(gitIn(projectId, signal), ref, ref)).head;
    },
    compare: async ({ projectId, taskId, base }, asker) => {
      if (!(await isFolder(gitDirOf(directory, projectId)))) return undefined;
      return inTurn(asker, async () => {
        const { signal } = asker;
        const git = gitIn(projectId, signal);
        const heads = await headsIn(git, refOfBranch(base), refOf(taskId));
        if (heads.base === undefined || heads.head === undefined) return { heads };
        return { heads, conflicts: await conflictsOf(projectId, heads.base, heads.head, signal) };
      });
    },
    merge: async (order) => {
      const git = gitIn(order.projectId);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const merged = await mergeOnce(git, order);
        if (merged !== undefined) return merged;
        await setTimeout(PAUSE_MS * (0.5 + Math.random()));
      }
      throw new Error(`the branch ${order.base} moved ${ATTEMPTS} times`);
    },
  };
}

type Git = (...args: string[]) => Promise<string>;

const refOfBranch = (name: string): string => `refs/heads/${name}`;

/** Undefined if it is to be tried again. */
async function mergeOnce(git: Git, order: MergeOrder): Promise<string | undefined> {
  const ref = refOfBranch(order.base);
  const { base, head } = await headsIn(git, ref, refOf(order.taskId));
  if (base === undefined)
    throw new MergeRefused(
      'base_missing',
      `The branch ${order.base} does not exist: choose another merge target.`,
    );
  const trailer = `${TRAILER}: ${order.id}`;
  const made = await git(
    ...[
      'log',
      '--first-parent',
      `--max-count=${SEARCHED}`,
      '--format=%H',
      '--fixed-strings',
      `--grep=${trailer}`,
    ],
    ...[base, '--'],
  );
  if (made !== '') return made.split('\n').at(-1);
  if (head !== order.head)
    throw new MergeRefused(
      'head_changed',
      `The branch of the task is at ${head ?? 'no commit'} now, not at ${order.head}: look at the ` +
        'changes, then merge again.',
    );
  const { tree, conflicts } = await mergedTree(git, base, head);
  if (conflicts.length > 0)
    throw new MergeRefused(
      'conflicts',
      `The branch conflicts with ${order.base} in ${conflicts.slice(0, 5).join(', ')}` +
        `${conflicts.length > 5 ? ` and ${conflicts.length - 5} more files` : ''}: ask the agent ` +
        `to bring the changes of ${order.base} into its branch.`,
    );
  const parents = order.method === 'merge' ? ['-p', base, '-p', head] : ['-p', base];
  const message = `${order.message}\n\n${trailer}`;
  const id = await git('commit-tree', tree, ...parents, '-m', message);
  // Refused if the base has moved, or someone else is just moving it.
  return git('update-ref', ref, id, base).then(
    () => id,
    () => undefined,
  );
}

async function headsIn(git: Git, base: string, head: string): Promise<Heads> {
  const lines = await git('for-each-ref', '--format=%(refname) %(objectname)', base, head);
  const found = new Map(lines.split('\n').map((line) => line.split(' ') as [string, string]));
  return { base: found.get(base), head: found.get(head) };
}

/**
 * The tree of a merge, or the paths that conflict. `git merge-tree` prints the tree first, then the
 * paths in conflict; it ends with 1 if there are any.
 */
async function mergedTree(git: Git, base: string, head: string) {
  const printed = await git(
    ...['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', base, head],
  ).catch((error: { code?: unknown; stdout?: string }) => {
    if (error.code !== 1 || typeof error.stdout !== 'string') throw error;
    return error.stdout;
  });
  const [tree = '', ...paths] = printed.split('\0').filter((part) => part.trim() !== '');
  return { tree, conflicts: paths.slice(0, MOST_CONFLICTS) };
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
