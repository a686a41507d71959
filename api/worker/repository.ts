import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Where the work of tasks is kept: a bare repository for each project, in which each task has a
 * branch. Git runs beside the pod, not in it, with the repository outside of the work tree: nothing
 * in the work tree can make it run a program.
 */
export interface Repositories {
  /** A folder for copies of work trees that are on another machine; it may be missing. */
  readonly staging: string;
  /** Fills an empty work tree with the last commit of the task, or of the default branch. */
  checkOut(place: Place): Promise<void>;
  /**
   * Commits the work tree to the task's branch; undefined if nothing has changed since its last
   * commit.
   */
  commit(place: Place, message: string): Promise<Commit | undefined>;
}

/** `workTree`: an absolute path on this machine. */
export interface Place {
  projectId: string;
  taskId: string;
  workTree: string;
}

export interface Commit {
  id: string;
  branch: string;
}

/** Something that an operator must change, as a sentence. */
export class RepositoryError extends Error {}

const NAME = 'main';
const DEFAULT_BRANCH = 'refs/heads/main';
const run = promisify(execFile);
const WITHIN_MS = 60_000;
const MOST_OUTPUT = 1_048_576;

export const branchOf = (taskId: string): string => `task/${taskId.slice(0, 8)}`;

export function openRepositories(directory: string): Repositories {
  async function open({ projectId, taskId, workTree }: Place) {
    const gitDir = join(directory, projectId, `${NAME}.git`);
    await makeRepository(join(directory, projectId), gitDir);
    const index = join(gitDir, `index-${taskId}`);
    const inTree = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index };
    const git = (...args: string[]) => runGit(['-c', 'core.bare=false', ...args], inTree);
    const ref = `refs/heads/${branchOf(taskId)}`;
    const head = async () => (await revision(git, ref)) ?? (await git('rev-parse', DEFAULT_BRANCH));
    return { git, ref, head, index };
  }

  return {
    // Its name is no id of a project.
    staging: join(directory, 'staging'),
    checkOut: async (place) => {
      const { git, head, index } = await open(place);
      await rm(index, { force: true });
      await git('read-tree', await head());
      await git('checkout-index', '--all', '--force');
    },
    commit: async (place, message) => {
      const { git, ref, head } = await open(place);
      const parent = await head();
      await git('read-tree', parent);
      await git('add', '--all', '--', '.');
      const tree = await git('write-tree');
      if (tree === (await git('rev-parse', `${parent}^{tree}`))) return undefined;
      const id = await git('commit-tree', tree, '-p', parent, '-m', message);
      const before = await revision(git, ref);
      // Refused if someone else has moved the branch since.
      await git('update-ref', ref, id, before ?? NONE);
      return { id, branch: branchOf(place.taskId) };
    },
  };
}

const NONE = '0'.repeat(40);

const revision = (git: (...args: string[]) => Promise<string>, ref: string) =>
  git('rev-parse', '--quiet', '--verify', ref).catch((error) => {
    if (error instanceof RepositoryError) throw error;
    return undefined;
  });

/** Made aside and renamed, so that one that is there is complete. */
async function makeRepository(directory: string, gitDir: string): Promise<void> {
  const there = await runGit(['rev-parse', '--verify', DEFAULT_BRANCH], { GIT_DIR: gitDir }).then(
    () => true,
    (error) => {
      if (error instanceof RepositoryError) throw error;
      return false;
    },
  );
  if (there) return;
  await mkdir(directory, { recursive: true });
  const aside = join(directory, `${NAME}-${process.pid}-${Date.now()}.new`);
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', aside], {});
  const git = (...args: string[]) => runGit(args, { GIT_DIR: aside });
  const empty = await git('hash-object', '-t', 'tree', '-w', '/dev/null');
  await git('update-ref', DEFAULT_BRANCH, await git('commit-tree', empty, '-m', 'Begin'));
  await rename(aside, gitDir).catch(async (error) => {
    await rm(aside, { recursive: true });
    // Another worker was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

/** Runs git without the settings of this machine and its user. Returns what it prints. */
async function runGit(args: string[], env: Record<string, string>): Promise<string> {
  try {
    const { stdout } = await run('git', args, {
      timeout: WITHIN_MS,
      maxBuffer: MOST_OUTPUT,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/nonexistent',
        LANG: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Guildhall',
        GIT_AUTHOR_EMAIL: 'guildhall@localhost',
        GIT_COMMITTER_NAME: 'Guildhall',
        GIT_COMMITTER_EMAIL: 'guildhall@localhost',
        ...env,
      },
    });
    return stdout.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RepositoryError('Git is not installed on the server: install it, then try again.');
    throw error;
  }
}
