import { listGithubBranches } from './list-github-branches.ts';
import { listGithubInstallations } from './list-github-installations.ts';
import { listGithubRepositories } from './list-github-repositories.ts';
import { listOwnGithubInstallations } from './list-own-github-installations.ts';
import type { GithubServices } from './listing.ts';

/** What of GitHub a project may use. */
export const githubRoutes = (services: GithubServices) => [
  listOwnGithubInstallations,
  listGithubInstallations,
  listGithubRepositories(services),
  listGithubBranches(services),
];
