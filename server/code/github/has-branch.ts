import { unlessGone } from '../hosts/host-error.ts';
import type { GitHub } from './app.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';

/** Whether a repository on GitHub has a branch. Throws a HostError. */
export async function hasBranchOnGitHub(
  github: GitHub,
  repository: GitHubRepository,
  branch: string,
  signal: AbortSignal,
): Promise<boolean> {
  const api = inRepository(github, repository, { contents: 'read' });
  // Of several that begin so, GitHub answers this one or none.
  const found = await unlessGone(() =>
    api.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
      ...named(repository),
      ref: `heads/${branch}`,
      request: { signal },
    }),
  );
  return found !== undefined;
}
