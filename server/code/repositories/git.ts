import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../platform/launcher/launcher.ts';
import { removeNamedLock } from './stale-locks.ts';

/** How git is run, and where the repositories of projects and the branches of tasks are. */

/** Something that an operator must change, as a sentence. */
export class RepositoryError extends Error {
  /** Whether it may work later although no person of the project does anything. */
  readonly passes: boolean;

  constructor(
    message: string,
    { passes = false, ...options }: ErrorOptions & { passes?: boolean } = {},
  ) {
    super(message, options);
    this.passes = passes;
  }
}

/** The repository that a project begins with, and in which its tasks work. */
export const TASK_REPOSITORY = 'main';
/** Git's name for the default branch, whatever it is called in a repository. */
export const DEFAULT_BRANCH = 'HEAD';

/** A bare repository of a project. The name is one that the table `repository` accepts. */
export const gitDirOf = (directory: string, projectId: string, name = TASK_REPOSITORY): string =>
  join(directory, projectId, `${name}.git`);

/** Whether this machine has a repository. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

export const branchOf = (taskId: string): string => `task/${taskId.slice(0, 8)}`;

export const refOf = (taskId: string): string => `refs/heads/${branchOf(taskId)}`;

/** The id of a commit, in SHA-1 or SHA-256, as a pattern of the API. */
export const COMMIT_ID = '^[0-9a-f]{40,64}$';

/** What git calls the commit of a reference that does not exist. */
export const NO_COMMIT = '0'.repeat(40);

/** What git calls a tree without files. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * Of every git that is run, and stronger than the settings in a repository: it runs no hook and no
 * other program, and packs nothing beside its work.
 */
const SETTINGS: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

/**
 * Settings as variables of the environment, with those of every git: they are stronger than those
 * of a repository, every process that git starts gets them, too, and other users of the machine
 * cannot read them.
 */
export function asEnvironment(settings: Record<string, string>): Record<string, string> {
  const all = Object.entries({ ...SETTINGS, ...settings });
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(all.length)],
    ...all.flatMap(([name, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, name],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ]);
}

/** Of every git that is run: without the settings of this machine and its user. */
export const GIT_ENV: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Guildhall',
  GIT_AUTHOR_EMAIL: 'guildhall@localhost',
  GIT_COMMITTER_NAME: 'Guildhall',
  GIT_COMMITTER_EMAIL: 'guildhall@localhost',
  ...asEnvironment({}),
};

const WITHIN_MS = 60_000;
/** The names of all files of a work tree. */
const MOST_OUTPUT = 64 * 1_048_576;

export interface GitOptions {
  /** Each character stands for a byte, here and in what is printed. */
  input?: string;
  /** Bytes that it may print. */
  most?: number;
  /** Milliseconds that it may take. */
  within?: number;
  /** Kills it, which makes it fail with an AbortError. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs git without the settings of this machine and its user, and again where a git that was killed
 * has left a reference locked. Returns what it prints. With `input`, each character stands for a byte,
 * because names of files need not be UTF-8.
 */
export async function runGit(
  args: string[],
  env: Record<string, string>,
  options: GitOptions = {},
): Promise<string> {
  const { input, most = MOST_OUTPUT, within = WITHIN_MS, signal } = options;
  try {
    const printed = await runProgram(
      {
        file: 'git',
        args,
        // Git takes the attributes in the folder that it is started in for those of a work tree.
        cwd: '/',
        env: { ...GIT_ENV, ...env },
        input: Buffer.from(input ?? '', 'latin1'),
        timeout: within,
        maxBuffer: most,
      },
      signal,
    );
    return input === undefined ? printed.toString().trim() : printed.toString('latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RepositoryError('Git is not installed on the server: install it, then try again.', {
        passes: true,
      });
    const { stderr = '' } = error as { stderr?: string };
    if (env.GIT_DIR !== undefined && (await removeNamedLock(env.GIT_DIR, stderr)))
      return runGit(args, env, options);
    throw error;
  }
}
