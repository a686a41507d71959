import { askedForRemote } from '../hosts/asked-for-remote.ts';
import type { CodeHost } from '../hosts/code-host.ts';
import { readChecks } from './checks.ts';
import type { Gitea } from './open-gitea.ts';
import { mergePull, openPull, readPull, retargetPull } from './pulls.ts';
import { branchPages, GITEA_PAGE, hasBranch, readRepository } from './read-repository.ts';

/** Gitea and Forgejo as a host of code, each by the token of its connection. */
export const giteaHost = (gitea: Gitea): CodeHost => ({
  name: 'Gitea',
  pageSize: GITEA_PAGE,
  readRepository: (place, signal) => readRepository(gitea, place, signal),
  branchPages: (place, signal) => branchPages(gitea, place, signal),
  hasBranch: (place, branch, signal) => hasBranch(gitea, place, branch, signal),
  remote: (place) =>
    askedForRemote(async () => {
      const { fullName, defaultBranch } = await readRepository(gitea, place);
      const { url, token } = await gitea.server(place.connectionId);
      const address = `${url}/${fullName}.git`;
      return { url: address, token: async () => token, defaultBranch, way: gitea.way(address) };
    }),
  openPull: (place, pull) => openPull(gitea, place, pull),
  readPull: (place, number) => readPull(gitea, place, number),
  retargetPull: (place, number, base) => retargetPull(gitea, place, number, base),
  mergePull: (place, number, order) => mergePull(gitea, place, number, order),
  readChecks: (place, commit) => readChecks(gitea, place, commit),
});
