import type { GitHub } from './app.ts';
import { listGithubBranches } from './list-github-branches.ts';
import { listGithubInstallations } from './list-github-installations.ts';
import { listGithubRepositories } from './list-github-repositories.ts';
import { listOwnGithubInstallations } from './list-own-github-installations.ts';
import { githubPlaces } from './listing.ts';

/** What of GitHub a project may use. Without `github`, what asks it is refused. */
export const githubRoutes = (github: GitHub | undefined) => {
  const places = githubPlaces();
  return [
    listOwnGithubInstallations,
    listGithubInstallations,
    listGithubRepositories(github, places),
    listGithubBranches(github, places),
  ];
};
