import { commitsAt } from './commits.ts';
import { EMPTY_TREE, type GitOptions, gitDirOf, isFolder, refOf, runGit } from './git.ts';
import { type ChangedFile, type ReadChange, readChanges } from './read-changes.ts';
import { comparedWith } from './task-base.ts';
import { type Asker, takeTurns } from './turns.ts';

/**
 * The code of tasks, compared with what they began with. Git ends when the asker's signal says so,
 * which throws an AbortError.
 */
export interface TaskDiffs {
  /** Undefined when this machine has no repository of the project. */
  commitsOf(task: BegunTask, asker: Asker): Promise<Commits | undefined>;
  /** Errors: DiffTooLarge. */
  files(task: TaskOf, commits: Compared, asker: Asker): Promise<ChangedFile[]>;
  /** In the format of `git diff`. Errors: DiffTooLarge. */
  patch(task: TaskOf, commits: Compared, asker: Asker, spaces?: Spaces): Promise<Buffer>;
  /** The commits that `head` has and `base` does not, newest first; the first hundred. */
  commits(task: TaskOf, commits: Compared, asker: Asker): Promise<TaskCommit[]>;
  /** The file at a path of a commit; undefined if there is none. Errors: DiffTooLarge. */
  file(task: TaskOf, commit: string, path: string, asker: Asker): Promise<Buffer | undefined>;
  /**
   * The files at these paths of a commit, by path; what is no file there is left out. Errors:
   * DiffTooLarge.
   */
  texts(task: TaskOf, commit: string, paths: string[], asker: Asker): Promise<Map<string, string>>;
}

export interface TaskOf {
  projectId: string;
  taskId: string;
}

/** `base`: the branch that it begins with, if chosen. `onHost`: whether its code is on another host. */
export interface BegunTask extends TaskOf {
  base?: string | null;
  onHost?: boolean;
}

/** Two commits; `head` is undefined before the task's first. */
interface Commits {
  base: string;
  head: string | undefined;
}

export type Compared = { base: string; head: string };

/** Whether lines that differ in white space alone are different. */
export type Spaces = 'compared' | 'ignored';

/** A commit of a task; `parent` is the first one, or the empty tree. */
export interface TaskCommit {
  id: string;
  parent: string;
  title: string;
  author: string;
  /** RFC 3339, in UTC. */
  authored_at: string;
}

/** The difference has too many bytes, or takes too long. */
export class DiffTooLarge extends Error {}

/** Differences that one process computes at once, each for another person. */
const AT_ONCE = 3;
const MOST_COMMITS = 100;
const LONGEST_TITLE = 300;
const BOUNDS = { most: 8 * 1024 * 1024, within: 20_000 };

/**
 * Nothing that is in the repository has a say in how it is compared: no attributes, which could
 * hide a change as binary, no programs and no settings. Larger files are compared as binary ones.
 */
const SETTINGS = [
  '-c',
  `attr.tree=${EMPTY_TREE}`,
  '-c',
  'core.bigFileThreshold=16m',
  '-c',
  'diff.renameLimit=1000',
];
const DIFF = ['diff-tree', '-r', '--find-renames', '--no-ext-diff', '--no-textconv'];

/** `directory`: where the repositories of all projects are; it may be missing. */
export function openTaskDiffs(directory: string): TaskDiffs {
  const inTurn = takeTurns(AT_ONCE);

  const git = (projectId: string, args: string[], options: GitOptions) =>
    runGit(
      [...SETTINGS, ...args],
      {
        GIT_DIR: gitDirOf(directory, projectId),
        GIT_OPTIONAL_LOCKS: '0',
      },
      options,
    );

  /** What git prints of an input; each character stands for a byte, in both. */
  const ask = ({ projectId }: TaskOf, args: string[], input: string, asker: Asker) =>
    inTurn(asker, async () => {
      const { signal } = asker;
      try {
        return await git(projectId, args, { ...BOUNDS, input, signal });
      } catch (error) {
        const { code, killed } = error as { code?: unknown; killed?: boolean };
        if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' || (killed && !signal.aborted))
          throw new DiffTooLarge('the difference is too large', { cause: error });
        throw error;
      }
    });

  const compare = (task: TaskOf, { base, head }: Compared, asker: Asker, ...format: string[]) =>
    ask(task, [...DIFF, ...format, base, head, '--'], '', asker);

  return {
    commitsOf: async ({ projectId, taskId, base: chosen, onHost = false }, { signal }) => {
      if (!(await isFolder(gitDirOf(directory, projectId)))) return undefined;
      const inProject = (args: string[]) => git(projectId, args, { signal });
      const [head] = await commitsAt(inProject, [refOf(taskId)]);
      const compared = { base: chosen ?? undefined, onHost };
      const begun = (await comparedWith(inProject, taskId, compared)) ?? '';
      if (head === undefined) return { base: begun, head };
      // Without a commit in common, everything is different.
      const base = await inProject(['merge-base', begun, head]).catch((error) => {
        if (error.code !== 1) throw error;
        return begun;
      });
      return { base, head };
    },
    files: async (task, commits, asker) => {
      const args = ['--raw', '--numstat', '--no-abbrev', '-z'];
      const changes = readChanges(await compare(task, commits, asker, ...args));
      const ids = changes.flatMap((one) => (one.file.binary ? blobsOf(one) : []));
      if (ids.length > 0) {
        const asked = ids.map((id) => `${id}\n`).join('');
        const check = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
        addSizes(changes, await ask(task, check, asked, asker));
      }
      return changes.map(({ file }) => file);
    },
    patch: async (task, commits, asker, spaces = 'compared') => {
      const args = ['--patch', '--full-index', ...(spaces === 'ignored' ? ['-w'] : [])];
      return Buffer.from(await compare(task, commits, asker, ...args), 'latin1');
    },
    commits: async (task, { base, head }, asker) => {
      const args = ['log', '-z', '--topo-order', `--max-count=${MOST_COMMITS}`, LOG_FORMAT];
      return readLog(await ask(task, [...args, `${base}..${head}`, '--'], '', asker));
    },
    file: async (task, commit, path, asker) => {
      const input = `${commit}:${asBytes(path)}\n`;
      return readFiles(await ask(task, ['cat-file', '--batch'], input, asker), [path]).get(path);
    },
    texts: async (task, commit, paths, asker) => {
      // Each question is a line.
      const asked = paths.filter((path) => !path.includes('\n'));
      const input = asked.map((path) => `${commit}:${asBytes(path)}\n`).join('');
      const files = readFiles(await ask(task, ['cat-file', '--batch'], input, asker), asked);
      return new Map([...files].map(([path, bytes]) => [path, bytes.toString('utf8')]));
    },
  };
}

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Reads what `git cat-file --batch` prints about these paths, in their order. */
function readFiles(printed: string, paths: readonly string[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let at = 0;
  for (const path of paths) {
    const missing = `:${asBytes(path)} missing\n`;
    const end = printed.indexOf('\n', at);
    const line = printed.slice(at, end + 1);
    at = end + 1;
    if (line.endsWith(missing)) continue;
    const [, type, size] = line.trimEnd().split(' ');
    const bytes = printed.slice(at, at + Number(size));
    at += Number(size) + 1;
    if (type === 'blob') files.set(path, Buffer.from(bytes, 'latin1'));
  }
  return files;
}

const blobsOf = ({ old: was, new: is }: ReadChange): string[] =>
  [was, is].filter((id) => id !== undefined);

/** Reads what `git cat-file --batch-check` prints; of a submodule, there is nothing here. */
function addSizes(changes: readonly ReadChange[], printed: string): void {
  const sizes = new Map<string, number>();
  for (const line of printed.split('\n')) {
    const [id = '', size = ''] = line.split(' ');
    if (/^\d+$/.test(size)) sizes.set(id, Number(size));
  }
  for (const { file, ...ids } of changes) {
    if (!file.binary) continue;
    const [was, is] = [sizes.get(ids.old ?? ''), sizes.get(ids.new ?? '')];
    if (was !== undefined) file.old_size = was;
    if (is !== undefined) file.new_size = is;
  }
}

// Each commit is one part; within it, git writes these on lines: no name and no title has a line break.
const LOG_FORMAT = '--format=%H%n%P%n%at%n%an%n%s';

/** A title or name that is not UTF-8 is shown with replacement characters. */
function readLog(printed: string): TaskCommit[] {
  return printed
    .split('\0')
    .filter((part) => part !== '')
    .map((part) => {
      const [id = '', parents = '', at = '', author = '', ...title] = Buffer.from(part, 'latin1')
        .toString('utf8')
        .split('\n');
      return {
        id,
        parent: parents.split(' ')[0] || EMPTY_TREE,
        title: title.join(' ').slice(0, LONGEST_TITLE),
        author: author.slice(0, LONGEST_TITLE),
        authored_at: timeOf(Number(at)),
      };
    });
}

/** A commit may claim any time at all. */
function timeOf(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999
    ? new Date(0).toISOString()
    : time.toISOString();
}
