import { execFile } from 'node:child_process';
import { access, constants, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addAll } from './add-all.ts';

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

/**
 * The folder of a work tree that is Guildhall's, for files that people and agents exchange. It is
 * never committed; what a repository has under this name stays as it is.
 */
export const OWN_FOLDER = '.guildhall';

/** Something that an operator must change, as a sentence. */
export class RepositoryError extends Error {}

const NAME = 'main';
const DEFAULT_BRANCH = 'refs/heads/main';
const run = promisify(execFile);
const WITHIN_MS = 60_000;
/** The names of all files of a work tree. */
const MOST_OUTPUT = 64 * 1_048_576;

export const branchOf = (taskId: string): string => `task/${taskId.slice(0, 8)}`;

export function openRepositories(directory: string): Repositories {
  async function open({ projectId, taskId, workTree }: Place) {
    const gitDir = join(directory, projectId, `${NAME}.git`);
    await makeRepository(join(directory, projectId), gitDir);
    const index = join(gitDir, `index-${taskId}`);
    const inTree = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index };
    const git = (...args: string[]) => runGit([...NOT_BARE, ...args], inTree);
    const ref = `refs/heads/${branchOf(taskId)}`;
    const head = async () => (await revision(git, ref)) ?? (await git('rev-parse', DEFAULT_BRANCH));
    return { git, inTree, ref, head, index };
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
      const { git, inTree, ref, head } = await open(place);
      const parent = await head();
      await git('read-tree', parent);
      await addAll((args, input) => runGit([...NOT_BARE, ...args], inTree, { input }), {
        workTree: place.workTree,
        except: OWN_FOLDER,
      });
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

/**
 * Whether repositories can be kept in this folder, which is made if it is missing. Throws
 * RepositoryError when it cannot be written, or git is missing.
 */
export async function checkRepositories(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RepositoryError(
      `The folder ${directory} must be one that can be written (${code}).`,
      {
        cause,
      },
    );
  }
  await runGit(['--version'], {});
}

const NONE = '0'.repeat(40);
const NOT_BARE = ['-c', 'core.bare=false'];

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

/**
 * Runs git without the settings of this machine and its user. Returns what it prints. With
 * `input`, each character stands for a byte, because names of files need not be UTF-8.
 */
async function runGit(
  args: string[],
  env: Record<string, string>,
  { input }: { input?: string } = {},
): Promise<string> {
  try {
    const running = run('git', args, {
      timeout: WITHIN_MS,
      maxBuffer: MOST_OUTPUT,
      encoding: input === undefined ? 'utf8' : 'latin1',
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
    // It may end without having read everything; its code says so.
    running.child.stdin?.on('error', () => undefined).end(input ?? '', 'latin1');
    const { stdout } = await running;
    return input === undefined ? stdout.trim() : stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RepositoryError('Git is not installed on the server: install it, then try again.');
    throw error;
  }
}
