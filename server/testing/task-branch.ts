import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitDirOf, refOf } from '../code/repositories/git.ts';
import { atEnd } from './at-end.ts';
import { temporaryFolder } from './file-stores.ts';
import { TASK_COMMIT } from './task-commit.ts';

const BY = 'Guildhall <guildhall@localhost> 1763802000 +0000';

/** A bare repository whose branch `main` has an empty commit, and another one that follows it. */
async function makeTemplate(): Promise<string> {
  const folder = join(await temporaryFolder(atEnd), 'template.git');
  const git = (input: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', input }).trim();
  await mkdir(folder);
  git('', 'init', '--quiet', '--bare', '--initial-branch=main');
  const tree = git('', 'hash-object', '-t', 'tree', '-w', '--stdin');
  const commit = (parents: string, message: string) =>
    git(
      `tree ${tree}\n${parents}author ${BY}\ncommitter ${BY}\n\n${message}\n`,
      'hash-object',
      '-t',
      'commit',
      '-w',
      '--stdin',
    );
  const first = commit('', 'Begin');
  git('', 'update-ref', 'refs/heads/main', first);
  const second = commit(`parent ${first}\n`, 'Work');
  if (second !== TASK_COMMIT) throw new Error(`TASK_COMMIT is ${second}`);
  return folder;
}

const template = await makeTemplate();

/** By the folder: several requests of one test may need it at once, which `cp` does not bear. */
const copies = new Map<string, Promise<void>>();

function copyTo(gitDir: string): Promise<void> {
  const copy = copies.get(gitDir) ?? cp(template, gitDir, { recursive: true });
  copies.set(gitDir, copy);
  return copy;
}

/** Gives the branch of a task TASK_COMMIT, in a repository that is made if it is not there. */
export async function giveCommits(
  repositories: string,
  { projectId, taskId }: { projectId: string; taskId: string },
): Promise<void> {
  const gitDir = gitDirOf(repositories, projectId);
  await copyTo(gitDir);
  const ref = join(gitDir, refOf(taskId));
  await mkdir(dirname(ref), { recursive: true });
  // As git does: never empty for those who read it meanwhile.
  const written = `${ref}.${randomUUID()}.lock`;
  await writeFile(written, `${TASK_COMMIT}\n`);
  await rename(written, ref);
}
