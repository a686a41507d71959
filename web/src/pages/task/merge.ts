import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { guildhall } from '../../data/api.ts';
import { refreshTask, taskMergeTargetsQuery } from '../../data/task.ts';
import type { Merge } from './states.ts';

export type PullRequest = components['schemas']['PullRequest'];
export type Target = components['schemas']['TaskMergeTarget'];
export type Method = Merge['method'];

/** How a branch is named where something is merged into it: with the stage that it deploys to. */
export const withStage = (branch: string, stage: string | undefined): string =>
  stage === undefined ? branch : `${branch} (${stage})`;

/** What the pull request would be merged into; undefined until that is known, or if it is gone. */
export function useTarget(taskId: string, opened: boolean): Target | undefined {
  const targets = useQuery({ ...taskMergeTargetsQuery(taskId), enabled: opened });
  return targets.data?.find(({ is_base }) => is_base);
}

/** Whether nothing speaks against a merge. */
export const passed = ({ checks }: PullRequest): boolean =>
  ['passed', 'none'].includes(checks.state);

/** Merges the commit that is shown: a newer one is refused. */
export async function merge(request: PullRequest, method: Method = 'merge'): Promise<void> {
  await guildhall.post('/api/tasks/{task_id}/merge', {
    task_id: request.task_id,
    body: {
      expected_head_sha: request.head_sha as string,
      method,
      force: !passed(request),
    },
  });
  await refreshTask(request.task_id);
}

/** Asks once: before production, and before work whose checks have not passed. */
export const asksFirst = (request: PullRequest, target: Target | undefined): boolean =>
  target?.stage !== 'staging' || !passed(request);
