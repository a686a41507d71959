import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../../../code/repositories/git.ts';

/** The Git repositories behind the fake, on this machine. */

/** Files of a commit by their path: the new content, or null to remove it. */
export type Files = Record<string, string | null>;

export interface Author {
  name: string;
  email: string;
}

/** Runs git in a bare repository and returns what it prints, trimmed. */
export const gitIn = (gitDir: string, args: string[], env: Record<string, string> = {}) =>
  runGit(['--git-dir', gitDir, ...args], env);

const answers = new Map<string, Promise<string>>();

/** The same, of commits by their whole names: what they say never changes, so it is asked for once. */
export function askCommits(gitDir: string, args: string[]): Promise<string> {
  const key = [gitDir, ...args].join('\0');
  const answer = answers.get(key) ?? gitIn(gitDir, args);
  answers.set(key, answer);
  // It may be there later.
  answer.catch(() => answers.delete(key));
  return answer;
}

export async function initBare(gitDir: string, branch: string): Promise<void> {
  await runGit(['init', '--quiet', '--bare', `--initial-branch=${branch}`, gitDir], {});
}

/** The commit of each branch. */
export async function branchesOf(gitDir: string): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(refname:lstrip=2)';
  const printed = await gitIn(gitDir, ['for-each-ref', format, 'refs/heads/']);
  const lines = printed.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}

let indexes = 0;
const NONE = '0'.repeat(40);

/** Adds a commit to a branch, which begins at `from` or without a history. Returns its name. */
export async function commitFiles(
  gitDir: string,
  branch: string,
  {
    files,
    message,
    from,
    author,
  }: { files: Files; message: string; from?: string; author: Author },
): Promise<string> {
  const parent = (await branchesOf(gitDir)).get(branch) ?? from;
  const index = join(gitDir, `index-${++indexes}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    if (parent !== undefined) await gitIn(gitDir, ['read-tree', parent], env);
    const entries: string[] = [];
    for (const [path, content] of Object.entries(files))
      entries.push(content === null ? `0 ${NONE}\t${path}` : await entryOf(gitDir, path, content));
    const input = latin1(`${entries.join('\n')}\n`);
    await runGit(['--git-dir', gitDir, 'update-index', '--index-info'], env, { input });
    const tree = await gitIn(gitDir, ['write-tree'], env);
    const commit = await commitTree(gitDir, {
      tree,
      parents: parent ? [parent] : [],
      message,
      author,
    });
    await gitIn(gitDir, ['update-ref', `refs/heads/${branch}`, commit]);
    return commit;
  } finally {
    await rm(index, { force: true });
  }
}

async function entryOf(gitDir: string, path: string, content: string): Promise<string> {
  const args = ['--git-dir', gitDir, 'hash-object', '-w', '--stdin'];
  const blob = await runGit(args, {}, { input: latin1(content) });
  return `100644 ${blob.trim()}\t${path}`;
}

/** Each character stands for a byte. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

export function commitTree(
  gitDir: string,
  commit: { tree: string; parents: string[]; message: string; author: Author },
): Promise<string> {
  const { tree, parents, message, author } = commit;
  const args = ['commit-tree', tree, ...parents.flatMap((each) => ['-p', each]), '-m', message];
  return gitIn(gitDir, args, {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.com',
  });
}

/** The tree of both commits merged; undefined if they conflict or have no history in common. */
export async function mergedTree(
  gitDir: string,
  base: string,
  head: string,
): Promise<string | undefined> {
  try {
    return await gitIn(gitDir, ['merge-tree', '--write-tree', base, head]);
  } catch (error) {
    const { code } = error as { code?: unknown };
    // 1: conflicts; 128: among others, no common history.
    if (code === 1 || code === 128) return undefined;
    throw error;
  }
}

/** Whether everything in `commit` is in `of`, too. */
export async function isAncestor(gitDir: string, commit: string, of: string): Promise<boolean> {
  return (await askCommits(gitDir, ['rev-list', '--count', commit, `^${of}`])) === '0';
}

/** A commit by its name, the beginning of it, or the name of a branch. */
export async function resolve(gitDir: string, ref: string): Promise<string | undefined> {
  const name = ref.replace(/^refs\//, '').replace(/^heads\//, '');
  const branches = await branchesOf(gitDir);
  const branch = branches.get(name);
  if (branch !== undefined || !/^[0-9a-f]{7,40}$/.test(name)) return branch;
  const ask = name.length === 40 ? askCommits : gitIn;
  return ask(gitDir, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).catch(
    () => undefined,
  );
}
