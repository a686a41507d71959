import Type from 'typebox';
import { onPullRequest } from '../access/task.ts';
import { recordChange } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { apiError, fieldError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import {
  example,
  notOpen,
  projectArchived,
  schema,
  shownPullRequest,
  showStored,
} from './pull-request.ts';

const notATarget = fieldError(
  'not_a_merge_target',
  ['body', 'branch'],
  'Tasks of this project may not be merged into this branch: choose one of its merge targets',
);

const mergeQueued = apiError(
  409,
  'merge_queued',
  'The task is being merged: `get_merge` shows what comes of it',
);

/** Chooses the branch that a task is merged into. */
export const setTaskMergeTarget = (publicUrl: string) =>
  route({
    method: 'PUT',
    path: '/api/tasks/{task_id}/merge-target',
    area: 'Pull Requests & Deploys',
    operationId: 'set_task_merge_target',
    summary: 'Choose what a task is merged into',
    description:
      'Sets the base of the open pull request to another merge target of the project. Members of ' +
      'the project may; merging may take further rights.',
    access: onPullRequest('work_on_task'),
    params: ids('task_id'),
    body: Type.Object(
      { branch: Type.String({ minLength: 1, maxLength: 200, description: 'A merge target.' }) },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { branch: 'staging' } }),
    responses: { 200: { description: 'The pull request.', schema, example } },
    errors: [notATarget, notOpen, projectArchived, mergeQueued],
    handle: ({ params: { task_id }, body: { branch }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        if (caller.state !== 'open') throw notOpen();
        if (caller.archived) throw projectArchived();
        if (caller.merging) throw mergeQueued();
        const [changed] = await tx.many(sql`
          update pull_request set base = m.branch, updated_at = clock_timestamp()
            from merge_target m
           where task_id = ${task_id} and m.project_id = ${caller.project_id}
             and m.branch = ${branch}
          returning task_id`);
        if (changed === undefined) throw notATarget();
        if (caller.base !== branch)
          await recordChange(tx, {
            ...{ caller, action: 'pull_request.retarget', target: task_id, requestId },
            organizationId: caller.organization_id,
            projectId: caller.project_id,
            ...{ before: { base: caller.base }, after: { base: branch } },
          });
        const { item } = await tx.one<{ item: string }>(showStored(task_id, caller));
        return { status: 200, body: shownPullRequest(item, task_id, publicUrl, undefined, true) };
      }),
  });
