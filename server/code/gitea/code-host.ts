import { askedForRemote } from '../hosts/asked-for-remote.ts';
import type { CodeHost } from '../hosts/code-host.ts';
import { readChecks } from './checks.ts';
import type { Gitea } from './open-gitea.ts';
import { mergePull, openPull, readPull, retargetPull } from './pulls.ts';
import { branchPages, GITEA_PAGE, hasBranch, readRepository } from './read-repository.ts';
import { giteaReviews } from './reviews.ts';

/** Gitea and Forgejo as a host of code, each by the token of its connection. */
export const giteaHost = (gitea: Gitea): CodeHost => ({
  name: 'Gitea',
  pageSize: GITEA_PAGE,
  readRepository: (repository, signal) => readRepository(gitea, repository, signal),
  branchPages: (repository, signal) => branchPages(gitea, repository, signal),
  hasBranch: (repository, branch, signal) => hasBranch(gitea, repository, branch, signal),
  remote: (repository) =>
    askedForRemote(async () => {
      const { fullName, defaultBranch } = await readRepository(gitea, repository);
      const { url, token } = await gitea.server(repository.connectionId);
      const address = `${url}/${fullName}.git`;
      return { url: address, token: async () => token, defaultBranch, way: gitea.way(address) };
    }),
  openPull: (repository, pull) => openPull(gitea, repository, pull),
  readPull: (repository, number) => readPull(gitea, repository, number),
  retargetPull: (repository, number, base) => retargetPull(gitea, repository, number, base),
  mergePull: (repository, number, order) => mergePull(gitea, repository, number, order),
  readChecks: (repository, commit) => readChecks(gitea, repository, commit),
  reviews: giteaReviews(gitea),
});
