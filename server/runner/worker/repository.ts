import { randomUUID } from 'node:crypto';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  baseGone,
  beginningOf,
  branchOf,
  commitsAt,
  defaultRef,
  gitDirOf,
  keepBase,
  makeRepository,
  type Remote,
  RemoteFailed,
  RepositoryError,
  refOf,
  runGit,
} from '../../code/index.ts';
import { addAll } from './add-all.ts';
import { withoutEncoding } from './add-encoded.ts';
import { COMMIT_BOUNDS, type CommitBounds, leftOutTexts } from './commit-bounds.ts';
import { keepIndex, takeIndex } from './kept-index.ts';
import { behind, type RefreshOptions, refreshTree } from './refresh-tree.ts';
import { seenRefOf, syncBranch } from './remote-branch.ts';
import { stagingOf } from './staging.ts';
import type { FillSubmodules } from './submodules/submodules.ts';
import {
  conflictOf,
  type Git,
  type Placed,
  placeCommit,
  workRefOf,
  writeWorkTree,
} from './task-branch.ts';

/**
 * Where the work of tasks is kept: a bare repository for each project, in which each task has a
 * branch. Git runs beside the pod, not in it, with the repository outside of the work tree: nothing
 * in the work tree can make it run a program.
 */
export interface Repositories {
  /** A folder for copies of work trees that are on another machine; it may be missing. */
  readonly staging: string;
  /** Where they are; it may be missing. */
  readonly directory: string;
  /**
   * Fills an empty work tree with the last commit of the task, or of the branch that it begins with.
   * Returns texts for people about submodules that stay empty.
   */
  checkOut(place: Place, signal?: AbortSignal): Promise<string[]>;
  /** The commit that a new pod of the task is filled with. */
  headOf(task: TaskPlace): Promise<string>;
  /** The commit that the work tree of the task was at last; undefined for one never filled. */
  baseOf(task: TaskPlace): Promise<string | undefined>;
  /** Whether people have changed the branch of the task since its work tree was at it. */
  isBehind(task: TaskPlace): Promise<boolean>;
  /** Whether another host does not have all of the branch of a task whose code is there. */
  isUnpushed(task: TaskPlace): Promise<boolean>;
  /**
   * Brings a work tree up to date with what people have done to the branch of its task. Nothing
   * that it holds is lost, but for a file that no commit may hold, where people have changed it, too.
   * Returns a text for people; undefined if there is nothing to do. No process may use the work tree.
   */
  refresh(place: Place, options?: RefreshOptions): Promise<string | undefined>;
  /**
   * Commits the work tree to the task's branch; undefined if nothing has changed since its last
   * commit. That one is the answer if it is of the same turn: its worker died before it could say
   * so. What people have pushed meanwhile is merged, never overwritten. Throws RepositoryError where the work tree is more than a commit may hold.
   */
  commit(place: Place, message: string, options?: CommitOptions): Promise<Commit | undefined>;
  /** Whether the task's last commit, or the branch that it begins with, has a file or a link at this path. */
  tracks(task: TaskPlace, path: string): Promise<boolean>;
}

export interface Place {
  projectId: string;
  taskId: string;
  /** An absolute path on this machine. */
  workTree: string;
  /**
   * A folder beside it that goes with it, and that no agent can write to. What git knows of the files
   * is kept there, so that it reads only those again that have changed since.
   */
  beside?: string | undefined;
}

export type TaskPlace = Omit<Place, 'workTree' | 'beside'>;

export interface CommitOptions {
  turnId?: string | undefined;
  /** The id of the agent that did the work: the author of the commit. */
  agent?: string | undefined;
  /** The name of the person who approved the plan, for a trailer. */
  approver?: string | null | undefined;
  /** Ends git when it aborts; the call rejects with an AbortError. */
  signal?: AbortSignal | undefined;
  /** Called with texts for people about what the commit does not have of the work tree. */
  onLeftOut?: ((text: string) => void) | undefined;
  /** Called with a text for people when the branch was not as the work tree had left it. */
  onMerge?: ((text: string) => void) | undefined;
}

export interface Commit {
  id: string;
  branch: string;
}

/**
 * The folder of a work tree that is Guildhall's, for files that people and agents exchange. It is
 * never committed; what a repository has under this name stays as it is.
 */
export const OWN_FOLDER = '.guildhall';

interface RepositoryOptions {
  /** Of a commit. */
  bounds?: CommitBounds;
  /** Where the code of a project is, if it is on another host. */
  remoteOf?: (projectId: string) => Promise<Remote | undefined>;
  /** The branch that a task begins with, if it is not the default one. */
  chosenBase?: (taskId: string) => Promise<string | undefined>;
  /** Fills submodules; without it, they stay empty. */
  submodules?: FillSubmodules | undefined;
  /** Throws where the folder is not the one of the tasks any more: no repository is made there. */
  requireFolder?: () => Promise<void>;
}

interface IndexOptions {
  author?: Record<string, string>;
  keeps?: boolean;
}

export function openRepositories(
  directory: string,
  {
    bounds = COMMIT_BOUNDS,
    remoteOf = async () => undefined,
    chosenBase = async () => undefined,
    submodules = async () => [],
    requireFolder = async () => {},
  }: RepositoryOptions = {},
): Repositories {
  /** Git in the repository of a task's project, with a work tree. */
  async function gitOf(
    { projectId, taskId, workTree, beside }: Place,
    author?: Record<string, string>,
  ) {
    const gitDir = gitDirOf(directory, projectId);
    await requireFolder();
    await makeRepository(gitDir);
    const index = join(beside ?? gitDir, `tmp_index-${taskId}-${randomUUID()}`);
    const inTree = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index, ...author };
    const git: Git = (args, options) =>
      runGit([...NOT_BARE, ...args], inTree, options).catch(withoutEncoding);
    return { gitDir, index, inTree, git };
  }

  async function open(place: Place, author?: Record<string, string>) {
    const { projectId, taskId, workTree, beside } = place;
    const { gitDir, index, inTree, git } = await gitOf(place, author);
    const none = (refs: string[]) =>
      new Error(`no reference of ${refs.join(', ')} is in ${gitDir}`);
    const firstOf = async (...refs: string[]) => {
      const [commit] = (await commitsAt(git, refs)).filter((id) => id !== undefined);
      if (commit === undefined) throw none(refs);
      return commit;
    };
    const chosen = await chosenBase(taskId);
    // What is fetched first says what the default branch is.
    const beginning = async () =>
      chosen === undefined ? defaultRef(gitDir) : beginningOf(taskId, chosen);
    const head = async () => firstOf(refOf(taskId), await beginning());
    /** The commit of the work tree, with the branch of the task and where it begins. */
    const base = async () => {
      const refs = [workRefOf(taskId), refOf(taskId), await beginning()];
      const [work, head, main] = await commitsAt(git, refs);
      const parent = work ?? head ?? main;
      if (parent === undefined) throw none(refs);
      return { parent, head, main };
    };
    /** When git began to look at the files of the work tree: see `keepIndex`. */
    let lookedFrom: number | undefined;
    const keep = async () => {
      // What is done is done; without it, git reads all files the next time.
      if (beside !== undefined) await keepIndex(beside, index, lookedFrom).catch(() => undefined);
    };
    /** Brings the work tree into an index that has the commit, and what is known of its files. */
    const add = async (commit: string, signal?: AbortSignal) => {
      const readAnew = () => git(['read-tree', commit]);
      let knownAt = beside === undefined ? undefined : await takeIndex(beside, index);
      if (knownAt !== undefined)
        await git(['read-tree', '--reset', commit]).catch(() => {
          // A crash may have left it half written. Whatever else it is, is found without it.
          knownAt = undefined;
        });
      if (knownAt === undefined) await readAnew();
      lookedFrom = (await lstat(index)).mtimeMs;
      return addAll(
        (args, { workTree: GIT_WORK_TREE, ...options }) =>
          runGit(
            [...NOT_BARE, ...args],
            { ...inTree, GIT_WORK_TREE },
            { ...options, signal },
          ).catch(withoutEncoding),
        {
          workTree,
          except: OWN_FOLDER,
          bounds,
          signal,
          kept: knownAt === undefined ? undefined : { knownAt, readAnew },
        },
      );
    };
    const sync = async (): Promise<Placed> => {
      const remote = await remoteOf(projectId);
      if (remote !== undefined) return syncBranch(git, gitDir, remote, taskId, chosen);
      return chosen === undefined ? {} : { baseGone: !(await keepBase(git, taskId, chosen)) };
    };
    /** What a new work tree is filled with. */
    const newest = async () => {
      const gone = (await sync()).baseGone === true;
      if (gone && chosen !== undefined && (await commitsAt(git, [refOf(taskId)]))[0] === undefined)
        throw new RepositoryError(baseGone(chosen));
      return head();
    };
    return { gitDir, git, head, base, add, index, keep, sync, newest, beginning };
  }

  /**
   * What needs an index has one of its own. A git that is killed leaves its index locked, and nobody
   * can tell the lock from that of one that still runs: so no lock of another is ever in the way,
   * and what is left goes with the work tree, or with all that git has not finished
   * (`reapUnfinished`). `keeps`: the index has what the work tree was filled with or is committed.
   */
  async function withIndex<Result>(
    { author, keeps = false, ...place }: Place & IndexOptions,
    work: (opened: Awaited<ReturnType<typeof open>>) => Promise<Result>,
  ): Promise<Result> {
    const opened = await open(place, author);
    // By this name, what is kept for the task is found when it is deleted.
    await writeFile(join(opened.gitDir, `index-${place.taskId}`), '');
    try {
      const result = await work(opened);
      if (keeps) await opened.keep();
      return result;
    } finally {
      await rm(opened.index, { force: true });
    }
  }

  return {
    directory,
    staging: stagingOf(directory),
    checkOut: (place, signal) =>
      withIndex({ ...place, keeps: true }, async ({ git, newest }) => {
        const commit = await newest();
        await writeWorkTree(git, commit, signal);
        const notices = await submodules({ ...place, commit }, signal);
        await git(['update-ref', workRefOf(place.taskId), commit]);
        return notices;
      }),
    headOf: async (task) => {
      const { newest } = await open({ ...task, workTree: directory });
      return newest();
    },
    baseOf: async (task) => {
      const { git } = await gitOf({ ...task, workTree: directory });
      return (await commitsAt(git, [workRefOf(task.taskId)]))[0];
    },
    isBehind: async (task) => {
      const { git, sync, beginning } = await open({ ...task, workTree: directory });
      await sync();
      return (await behind(git, task.taskId, await beginning())) !== undefined;
    },
    isUnpushed: async (task) => {
      const { git } = await gitOf({ ...task, workTree: directory });
      const refs = [refOf(task.taskId), seenRefOf(task.taskId)];
      const [ours, seen] = await commitsAt(git, refs);
      return ours !== undefined && ours !== seen;
    },
    refresh: (place, { signal, deliver } = {}) =>
      withIndex(place, async ({ git, add, beginning }) => {
        const found = await behind(git, place.taskId, await beginning());
        const snapshot = async (base: string) => (await add(base, signal)).earlier;
        return found && refreshTree(git, place.taskId, found, { snapshot, deliver, signal });
      }),
    commit: (place, message, options = {}) => {
      const { turnId, agent, approver, signal, onLeftOut, onMerge } = options;
      const { taskId } = place;
      const author = agent === undefined ? {} : authoredBy(agent);
      return withIndex(
        { ...place, author, keeps: true },
        async ({ git, base, add, sync, beginning }) => {
          const { parent, ...found } = await base();
          const leftOut = leftOutTexts(await add(parent, signal), bounds);
          for (const text of leftOut) onLeftOut?.(text);
          const tree = await git(['write-tree']);
          const branch = branchOf(taskId);
          const trailer = `${TURN}: ${turnId}`;
          const trailers = [
            ...(approver ? [`${APPROVER}: ${approver}`] : []),
            ...(turnId === undefined ? [] : [trailer]),
          ];
          const placed = ({ notice }: Placed) => {
            if (notice !== undefined) onMerge?.(notice);
          };
          const published = async (commit: Commit) => {
            try {
              placed(await sync());
            } catch (error) {
              if (!(error instanceof RemoteFailed)) throw error;
              onMerge?.(`${error.message} ${KEPT}`);
            }
            return commit;
          };
          if (tree === (await git(['rev-parse', `${parent}^{tree}`]))) {
            const last =
              turnId && (await git(['log', '-1', '--format=%B', parent])).split('\n').at(-1);
            if (last !== trailer) return undefined;
            placed(await conflictOf(git, taskId, parent));
            return published({ id: parent, branch });
          }
          const paragraphs = [
            message,
            ...leftOut,
            ...(trailers.length === 0 ? [] : [trailers.join('\n')]),
          ];
          const id = await git(['commit-tree', tree, '-p', parent, '-m', paragraphs.join('\n\n')]);
          placed(
            await placeCommit(git, taskId, {
              id,
              parent,
              beginning: await beginning(),
              found,
            }),
          );
          return published({ id, branch });
        },
      );
    },
    tracks: async (task, path) => {
      const { git, head } = await open({ ...task, workTree: directory });
      return /^\d+ blob /.test(await git(['ls-tree', '--full-tree', await head(), '--', path]));
    },
  };
}

/** Trailers of a commit: which turn made it, and who approved the plan. */
const TURN = 'Guildhall-Turn';
const APPROVER = 'Approved-by';

const KEPT = 'The commit is kept on this server until the host has it.';

const authoredBy = (agent: string): Record<string, string> => ({
  GIT_AUTHOR_NAME: agent,
  GIT_AUTHOR_EMAIL: `${agent}@localhost`,
});
const NOT_BARE = ['-c', 'core.bare=false'];
