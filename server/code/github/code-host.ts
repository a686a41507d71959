import type { CodeHost } from '../hosts/code-host.ts';
import type { GitHub } from './app.ts';
import { readCheckLog, readChecks } from './checks.ts';
import { hasBranchOnGitHub } from './has-branch.ts';
import { mergePull, openPull, readPull, retargetPull } from './pulls.ts';
import { branchPages, readRepository } from './read-repository.ts';
import { remoteAt } from './remote-at.ts';
import { githubReviews } from './reviews.ts';
import { GITHUB_PAGE } from './scan.ts';

/** GitHub as a host of code, as the App. */
export const githubHost = (github: GitHub): CodeHost => ({
  name: 'GitHub',
  pageSize: GITHUB_PAGE,
  readRepository: (repository, signal) => readRepository(github, repository, signal),
  branchPages: (repository, signal) =>
    branchPages(github, repository, { fullName: repository.fullName, signal }),
  hasBranch: (repository, branch, signal) => hasBranchOnGitHub(github, repository, branch, signal),
  remote: (repository, contents) => remoteAt(github, repository, contents),
  openPull: (repository, pull) => openPull(github, repository, pull),
  readPull: (repository, number) => readPull(github, repository, number),
  retargetPull: (repository, number, base) => retargetPull(github, repository, number, base),
  mergePull: (repository, number, order) => mergePull(github, repository, number, order),
  readChecks: (repository, commit) => readChecks(github, repository, commit),
  readCheckLog: (repository, checkId) => readCheckLog(github, repository, checkId),
  reviews: githubReviews(github),
});
