import type { Route } from '../http/route.ts';
import type { Merging } from '../repositories/merging.ts';
import { getCheckLog } from './get-check-log.ts';
import { getMerge } from './get-merge.ts';
import { getPullRequest } from './get-pull-request.ts';
import { listChecks } from './list-checks.ts';
import { listTaskMergeTargets } from './list-task-merge-targets.ts';
import { mergeTask } from './merge-task.ts';
import { openPullRequest } from './open-pull-request.ts';
import { setTaskMergeTarget } from './set-task-merge-target.ts';

export const pullRequestRoutes = (merging: Merging, publicUrl: string): Route[] => [
  getPullRequest(merging, publicUrl),
  openPullRequest(merging, publicUrl),
  listTaskMergeTargets,
  setTaskMergeTarget(publicUrl),
  listChecks,
  getCheckLog,
  getMerge,
  mergeTask(merging),
];
