import type { Route } from '../../http/route.ts';
import { getCheckLog } from './get-check-log.ts';
import { getMerge } from './get-merge.ts';
import { getPullRequest } from './get-pull-request.ts';
import { listChecks } from './list-checks.ts';
import { listTaskMergeTargets } from './list-task-merge-targets.ts';
import { mergeTask } from './merge-task.ts';
import { openPullRequest } from './open-pull-request.ts';
import type { PullRequestServices } from './services.ts';
import { setTaskMergeTarget } from './set-task-merge-target.ts';

export const pullRequestRoutes = (services: PullRequestServices): Route[] => [
  getPullRequest(services),
  openPullRequest(services),
  listTaskMergeTargets,
  setTaskMergeTarget(services),
  listChecks,
  getCheckLog,
  getMerge,
  mergeTask(services),
];
