/**
 * What other areas do with code: GitHub on behalf of the App, the bare repositories with their branches,
 * commits and build files, checks, pull requests and merges.
 */

export type { Gitea } from './gitea/open-gitea.ts';
export { findOnGitea } from './gitea/read-repository.ts';
export type { GitHub } from './github/app.ts';
export { type Connecting, connect } from './github/connect.ts';
export { contains, type GithubServices, githubBusy, offsetOf } from './github/listing.ts';
export { findRepository } from './github/read-repository.ts';
export { refreshDeploys } from './github/refresh-deploys.ts';
export { refreshInstallation } from './github/refresh-installation.ts';
export { scan } from './github/scan.ts';
export type { CodeHosts } from './hosts/code-host.ts';
export { asking, hostErrors, requireHost } from './hosts/errors.ts';
export { HostError } from './hosts/host-error.ts';
export { postOnce } from './hosts/post-once.ts';
export { refreshDuePulls } from './hosts/refresh-due-pulls.ts';
export type { HostReview } from './hosts/reviews.ts';
export { contextOf as importContextOf } from './imports/sealed-imports.ts';
export { answered, gitLate, wasEnded } from './repositories/answered.ts';
export { beginChecks } from './repositories/begin-checks.ts';
export { type Branch, type Branches, TooManyBranches } from './repositories/branches.ts';
export { BUILD_FILE, readBuildFile } from './repositories/build-file.ts';
export { fixesInARow, MOST_FIXES } from './repositories/check-fixes.ts';
export { hasPassed } from './repositories/check-states.ts';
export { cloneUrl, type HostUrls } from './repositories/clone-url.ts';
export { commitsAt, defaultRef, mergedTree, outgrows, sizeOf } from './repositories/commits.ts';
export {
  beginCopy,
  endCopy,
  faultOf,
  packOf,
  receivePack,
  referencesOf,
  refuseLinks,
} from './repositories/copy-repository.ts';
export {
  type EnvironmentFields,
  FILE_PATH,
  IMAGE_ID,
  MOST_CACHE,
  MOST_CACHE_PATH,
  MOST_IMAGE_ID,
  MOST_SETUP,
  MOST_SETUP_MINUTES,
} from './repositories/environment-fields.ts';
export { notOpen, projectArchived, repositoryElsewhere } from './repositories/errors.ts';
export { firstCommitOf } from './repositories/first-commit.ts';
export {
  asEnvironment,
  branchOf,
  COMMIT_ID,
  DEFAULT_BRANCH,
  EMPTY_TREE,
  GIT_ENV,
  type GitOptions,
  gitDirOf,
  isFolder,
  NO_COMMIT,
  RepositoryError,
  refOf,
  runGit,
} from './repositories/git.ts';
export { hasGit, isNewEnough } from './repositories/git-version.ts';
export { makeRepository } from './repositories/make-repository.ts';
export { keepMerge, keepMergeOfHost, type MergedRange } from './repositories/merged-range.ts';
export {
  type MergeOrder,
  MergeRefused,
  type Merging,
  openMerging,
} from './repositories/merging.ts';
export { odooModulesIn } from './repositories/odoo-modules.ts';
export type { BuildCheck, BuildFile, Stage } from './repositories/parse-build-file.ts';
export { PULL_REQUEST_STATES } from './repositories/pull-request-states.ts';
export { CHANGES, type ChangedFile } from './repositories/read-changes.ts';
export {
  fetchBranches,
  fetchCommit,
  pushBranch,
  type Remote,
  RemoteFailed,
  releaseCommit,
  SOURCE_SETTINGS,
} from './repositories/remote.ts';
export { checkRepositories } from './repositories/repository-folder.ts';
export { type ShownBranch, shownBranch } from './repositories/shown-branch.ts';
export { isReferenceLock, removeStaleLock } from './repositories/stale-locks.ts';
export {
  baseGone,
  beginningOf,
  comparedWith,
  keepBase,
  keptBaseOf,
  refOfBranch,
} from './repositories/task-base.ts';
export {
  type BegunTask,
  type Compared,
  DiffTooLarge,
  type Spaces,
  type TaskCommit,
  type TaskDiffs,
} from './repositories/task-diff.ts';
export {
  hasBuilt,
  localMain,
  taskRepository,
} from './repositories/task-repository.ts';
export type { Asker } from './repositories/turns.ts';
