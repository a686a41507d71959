import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GIT_ENV, runGit } from './git.ts';

/**
 * Makes a bare repository with an empty commit on its default branch, unless it is there. It is
 * made aside and renamed, so that one that is there is complete. Errors: RepositoryError.
 */
export async function makeRepository(gitDir: string, branch = 'main'): Promise<void> {
  if (await isRepository(gitDir)) return;
  await mkdir(dirname(gitDir), { recursive: true });
  const aside = `${gitDir}-${randomUUID()}.new`;
  await runGit(['init', '--quiet', '--bare', `--initial-branch=${branch}`, aside], {});
  await runGit(
    ['fast-import', '--quiet', '--date-format=now'],
    { GIT_DIR: aside },
    { input: begin(branch) },
  );
  await rename(aside, gitDir).catch(async (error) => {
    await rm(aside, { recursive: true });
    // Another process was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

const begin = (branch: string): string => `commit refs/heads/${branch}
committer ${GIT_ENV.GIT_COMMITTER_NAME} <${GIT_ENV.GIT_COMMITTER_EMAIL}> now
data 5
Begin
`;

const isRepository = (gitDir: string): Promise<boolean> =>
  stat(join(gitDir, 'HEAD')).then(
    () => true,
    () => false,
  );
