import type { Route } from '../../http/route.ts';
import type { PullRequestDeps } from './deps.ts';
import { getCheckLog } from './get-check-log.ts';
import { getMerge } from './get-merge.ts';
import { getPullRequest } from './get-pull-request.ts';
import { listChecks } from './list-checks.ts';
import { listTaskMergeTargets } from './list-task-merge-targets.ts';
import { mergeTask } from './merge-task.ts';
import { openPullRequest } from './open-pull-request.ts';
import { setTaskMergeTarget } from './set-task-merge-target.ts';

export const pullRequestRoutes = (deps: PullRequestDeps): Route[] => [
  getPullRequest(deps),
  openPullRequest(deps),
  listTaskMergeTargets,
  setTaskMergeTarget(deps),
  listChecks,
  getCheckLog,
  getMerge,
  mergeTask(deps),
];
