import { commitsAt } from './commits.ts';
import { firstCommitOf } from './first-commit.ts';
import { DEFAULT_BRANCH, gitDirOf, isFolder, runGit } from './git.ts';
import { FETCHED_DEFAULT } from './remote.ts';
import { refOfBranch } from './task-base.ts';
import { type Asker, takeTurns } from './turns.ts';

/** The branches of the repositories of this server. */
export interface Branches {
  /**
   * Sorted by the bytes of their names. Undefined when this machine does not have the repository.
   * Git ends when the asker's signal says so, which throws an AbortError. Errors: TooManyBranches.
   */
  list(repository: RepositoryName, asker: Asker): Promise<Branch[] | undefined>;
  /** Whether there is a branch of this name. Undefined when this machine does not have the repository. */
  has(
    repository: RepositoryName,
    branch: string,
    signal: AbortSignal,
  ): Promise<boolean | undefined>;
  /**
   * Whether the repository `main` of a project has commits that were pushed or merged here: more than
   * the one that it begins with, and no copy of what another host has.
   */
  haveCode(projectId: string): Promise<boolean>;
  /**
   * Whether a repository holds nothing but the first commit of this server. Undefined when this
   * machine does not have it. Git ends when the asker's signal says so, which throws an AbortError.
   */
  takesHistory(repository: RepositoryName, asker: Asker): Promise<boolean | undefined>;
}

interface RepositoryName {
  projectId: string;
  name: string;
}

export interface Branch {
  /** A name that is not UTF-8 is shown with replacement characters. */
  name: string;
  /** Its bytes, each as a character. */
  key: string;
  head: string;
}

/** There are more branches than are read. */
export class TooManyBranches extends Error {}

/** Lists that one process reads at once, each for another person. */
const AT_ONCE = 3;
const MOST_BRANCHES = 20_000;
const BOUNDS = { most: 8 * 1024 * 1024, within: 10_000 };
const PREFIX = 'refs/heads/';

/** `directory`: where the repositories of all projects are; it may be missing. */
export function openBranches(directory: string): Branches {
  const inTurn = takeTurns(AT_ONCE);
  return {
    list: ({ projectId, name }, asker) =>
      inTurn(asker, async () => {
        const gitDir = gitDirOf(directory, projectId, name);
        return (await isFolder(gitDir)) ? read(gitDir, asker.signal) : undefined;
      }),
    has: async ({ projectId, name }, branch, signal) => {
      const gitDir = gitDirOf(directory, projectId, name);
      if (!(await isFolder(gitDir))) return undefined;
      const git = (args: string[]) =>
        runGit(args, { GIT_DIR: gitDir }, { within: BOUNDS.within, signal });
      return (await commitsAt(git, [refOfBranch(branch)]))[0] !== undefined;
    },
    haveCode: async (projectId) => {
      const gitDir = gitDirOf(directory, projectId);
      if (!(await isFolder(gitDir))) return false;
      const git = (args: string[]) => runGit(args, { GIT_DIR: gitDir }, { within: BOUNDS.within });
      const two = await git(['for-each-ref', '--count=2', '--format=%(refname)', PREFIX]);
      const own = await git(['symbolic-ref', DEFAULT_BRANCH]);
      if (two.split('\n').some((ref) => ref !== '' && ref !== own)) return true;
      const [main, fetched] = await commitsAt(git, [DEFAULT_BRANCH, FETCHED_DEFAULT]);
      if (main === undefined || main === fetched) return false;
      return (await git(['rev-list', '--count', '--max-count=2', main])) !== '1';
    },
    takesHistory: ({ projectId, name }, asker) =>
      inTurn(asker, async () => {
        const gitDir = gitDirOf(directory, projectId, name);
        if (!(await isFolder(gitDir))) return undefined;
        return (await firstCommitOf(gitDir, asker.signal)) !== undefined;
      }),
  };
}

async function read(gitDir: string, signal: AbortSignal): Promise<Branch[]> {
  const format = ['--format=%(objectname) %(refname)', `--count=${MOST_BRANCHES + 1}`];
  const env = { GIT_DIR: gitDir, GIT_OPTIONAL_LOCKS: '0' };
  let printed: string;
  try {
    // With an input, each character that is printed stands for a byte.
    const options = { ...BOUNDS, input: '', signal };
    printed = await runGit(['for-each-ref', ...format, PREFIX], env, options);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      throw new TooManyBranches('too many branches', { cause: error });
    throw error;
  }
  const branches = printed.split('\n').filter(Boolean).map(branchIn);
  if (branches.length > MOST_BRANCHES) throw new TooManyBranches('too many branches');
  return branches;
}

function branchIn(line: string): Branch {
  const [head = '', ref = ''] = line.split(' ');
  const key = ref.slice(PREFIX.length);
  return { head, key, name: Buffer.from(key, 'latin1').toString('utf8') };
}
