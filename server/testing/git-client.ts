import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindFolder, checkRepositories } from '../code/repositories/repository-folder.ts';
import type { Database } from '../db/database/database.ts';

/** What a person's git has printed, and whether it was content. */
export interface Printed {
  ok: boolean;
  text: string;
}

/** A folder of a test's own. */
export const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'guildhall-git-'));

/** Runs a person's git in a folder: it never asks for anything, and knows no settings. */
export const gitIn = (cwd: string, ...args: string[]): Promise<Printed> => run(cwd, args, '');

function run(cwd: string, args: string[], input: Uint8Array | string): Promise<Printed> {
  return new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    };
    const done = (error: Error | null, stdout: string, stderr: string) =>
      resolve({ ok: error === null, text: stdout + stderr });
    const child = execFile('git', args, { cwd, env, timeout: 60_000 }, done);
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** The same, where a failure is one of the test. Returns what was printed, trimmed. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  return printed(args, await gitIn(cwd, ...args));
}

/** The same with something to read. */
export const gitWith = async (
  cwd: string,
  input: Uint8Array | string,
  ...args: string[]
): Promise<string> => printed(args, await run(cwd, args, input));

function printed(args: string[], { ok, text }: Printed): string {
  if (!ok) throw new Error(`git ${args.join(' ')}: ${text}`);
  return text.trim();
}

/** An entry of a tree: its mode, its name, and the object that it names. */
export type Entry = [mode: string, name: string, object: string];

/** Stores a tree that Git itself would not make. */
export const tree = (cwd: string, ...entries: Entry[]): Promise<string> => {
  const bytes = entries.map(([mode, name, object]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]),
  );
  const args = ['hash-object', '--literally', '-t', 'tree', '-w', '--stdin'];
  return gitWith(cwd, Buffer.concat(bytes), ...args);
};

/** The folder of the repositories of a server, as a worker that shares it has left it. */
export async function repositoriesIn(dataDir: string, db: Database): Promise<string> {
  const directory = join(dataDir, 'repositories');
  await checkRepositories(directory);
  await bindFolder(db, directory);
  return directory;
}

/** The address of a repository with a key as the password. */
export const addressOf = (url: string, projectId: string, key: string, name = 'main'): string =>
  `${url.replace('://', `://ada:${key}@`)}/git/${projectId}/${name}.git`;

/** Every reference of a bare repository, and every file in which it keeps objects. */
export async function contentOf(gitDir: string): Promise<string[]> {
  const refs = await git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)');
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8');
  const files = await readdir(join(gitDir, 'objects'), { recursive: true });
  return [refs, head, ...files.sort()];
}
