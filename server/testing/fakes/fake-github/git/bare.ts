import { runGit } from '../../../../code/repositories/git.ts';

/** The Git repositories behind the fake, on this machine. */

/** Files of a commit by their path: the new content, or null to remove it. */
export type Files = Record<string, string | null>;

interface Author {
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
  const input = [
    `commit refs/heads/${branch}`,
    'mark :1',
    ...people(author),
    data(message),
    ...(parent === undefined ? [] : [`from ${parent}`]),
    ...Object.entries(files).flatMap(([path, content]) =>
      content === null ? [`D ${path}`] : [`M 100644 inline ${path}`, data(content)],
    ),
    'get-mark :1',
    '',
  ];
  const args = ['--git-dir', gitDir, 'fast-import', '--quiet'];
  return (await runGit(args, {}, { input: latin1(input.join('\n')) })).trim();
}

const people = ({ name, email }: Author): string[] => {
  const now = `${Math.floor(Date.now() / 1_000)} +0000`;
  return [`author ${name} <${email}> ${now}`, `committer GitHub <noreply@github.com> ${now}`];
};

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

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
