import pino from 'pino';
import { beginChecks } from '../code/repositories/begin-checks.ts';
import { type Merging, openMerging } from '../code/repositories/merging.ts';
import { carryOutMerges } from '../runner/worker/carry-out-merges.ts';
import { builtTasks } from './built-tasks.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** Tasks of one workspace on their way into a branch, with the worker that merges. */
export async function mergesOn(harness: Harness) {
  const { db, fixtures, request } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const tasks = await builtTasks(harness, owner, workspace);
  const merging = openMerging(harness.repositories);
  const log = pino({ level: 'silent' });
  const openPullRequest = (taskId: string) =>
    request('POST', `/api/tasks/${taskId}/pull-request`, { key: owner.key });
  return {
    owner,
    workspace,
    merging,
    openPullRequest,
    ...tasks,
    /** Begins the checks of a branch that has moved. */
    begin: (taskId: string) => beginChecks(db, harness.repositories, taskId),
    /** Carries out the merges that are due. */
    work: (by: Merging = merging) => carryOutMerges(db, { merging: by, log }),
    /** A built task with its pull request. */
    async offered(files?: Record<string, string>, project?: string) {
      const task = await tasks.built(files, project);
      await openPullRequest(task.taskId);
      return task;
    },
    /** Asks to merge a task. */
    ask: (
      { taskId, head }: { taskId: string; head: string },
      { as = owner, ...body }: { as?: User; [field: string]: unknown } = {},
    ) =>
      request('POST', `/api/tasks/${taskId}/merge`, {
        key: as.key,
        body: { expected_head_sha: head, ...body },
      }),
    get: async (taskId: string, what = 'merge') =>
      (await request('GET', `/api/tasks/${taskId}/${what}`, { key: owner.key })).body,
    retarget: (taskId: string, branch: string) =>
      request('PUT', `/api/tasks/${taskId}/merge-target`, { key: owner.key, body: { branch } }),
    /** The subjects of the commits of `main`, the last one first. */
    logOf: (projectId: string) =>
      tasks.gitIn(projectId, 'log', '--topo-order', '--format=%s', 'main').split('\n'),
  };
}
