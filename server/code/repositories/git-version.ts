import { RepositoryError, runGit } from './git.ts';

/** The first version whose `git merge-tree` can merge without a work tree. */
const NEEDED = [2, 38] as const;

let known: Promise<boolean> | undefined;

/** Whether this machine has a Git that can host repositories; asked until it answers. */
export function hasGit(): Promise<boolean> {
  known ??= runGit(['--version'], {}).then(isNewEnough, (error) => {
    if (error instanceof RepositoryError) return false;
    // A machine that is too busy now is asked again.
    known = undefined;
    throw error;
  });
  return known;
}

/** Of what `git --version` prints. */
export function isNewEnough(printed: string): boolean {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(printed) ?? [];
  return Number(major) === NEEDED[0] ? Number(minor) >= NEEDED[1] : Number(major) > NEEDED[0];
}
