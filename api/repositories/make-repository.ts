import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RepositoryError, runGit } from './git.ts';

/**
 * Makes a bare repository with an empty commit on its default branch, unless it is there. It is
 * made aside and renamed, so that one that is there is complete. Errors: RepositoryError.
 */
export async function makeRepository(gitDir: string, branch = 'main'): Promise<void> {
  if (await isRepository(gitDir)) return;
  await mkdir(dirname(gitDir), { recursive: true });
  const aside = `${gitDir}-${randomUUID()}.new`;
  await runGit(['init', '--quiet', '--bare', `--initial-branch=${branch}`, aside], {});
  const git = (...args: string[]) => runGit(args, { GIT_DIR: aside });
  const empty = await git('hash-object', '-t', 'tree', '-w', '/dev/null');
  const begin = await git('commit-tree', empty, '-m', 'Begin');
  await git('update-ref', `refs/heads/${branch}`, begin);
  await rename(aside, gitDir).catch(async (error) => {
    await rm(aside, { recursive: true });
    // Another process was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

const isRepository = (gitDir: string): Promise<boolean> =>
  runGit(['rev-parse', '--git-dir'], { GIT_DIR: gitDir }).then(
    () => true,
    (error) => {
      if (error instanceof RepositoryError) throw error;
      return false;
    },
  );
