import type { CodeHost } from '../hosts/code-host.ts';
import type { GitHub } from './app.ts';
import { readCheckLog, readChecks } from './checks.ts';
import { findReviews } from './find-reviews.ts';
import { hasBranchOnGitHub } from './has-branch.ts';
import { mergePull, openPull, readPull, retargetPull } from './pulls.ts';
import { branchPages, readRepository } from './read-repository.ts';
import { remoteAt } from './remote-at.ts';
import { GITHUB_PAGE } from './scan.ts';

/** GitHub as a host of code, as the App. */
export const githubHost = (github: GitHub): CodeHost => ({
  name: 'GitHub',
  pageSize: GITHUB_PAGE,
  readRepository: (place, signal) => readRepository(github, place, signal),
  branchPages: (place, signal) => branchPages(github, place, { fullName: place.fullName, signal }),
  hasBranch: (place, branch, signal) => hasBranchOnGitHub(github, place, branch, signal),
  remote: (place, contents) => remoteAt(github, place, contents),
  openPull: (place, pull) => openPull(github, place, pull),
  readPull: (place, number) => readPull(github, place, number),
  retargetPull: (place, number, base) => retargetPull(github, place, number, base),
  mergePull: (place, number, order) => mergePull(github, place, number, order),
  readChecks: (place, commit) => readChecks(github, place, commit),
  readCheckLog: (place, checkId) => readCheckLog(github, place, checkId),
  findReviews: (db, pull, seen, log) => findReviews(db, github, pull, seen, log),
});
