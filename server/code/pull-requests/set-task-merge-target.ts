import Type from 'typebox';
import { type OfPullRequest, onPullRequest } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { branchName } from '../../http/input/branch-names.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CodeHosts } from '../hosts/code-host.ts';
import { asking, hostErrors, requireHost } from '../hosts/errors.ts';
import {
  example,
  notOpen,
  projectArchived,
  schema,
  seenOnHost,
  shownPullRequest,
  showStored,
} from './pull-request.ts';
import type { PullRequestServices } from './services.ts';

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
export const setTaskMergeTarget = ({ hosts, publicUrl }: PullRequestServices) =>
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
      { branch: branchName({ description: 'A merge target.' }) },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { branch: 'staging' } }),
    responses: { 200: { description: 'The pull request.', schema, example } },
    errors: [notATarget, notOpen, projectArchived, mergeQueued, ...hostErrors],
    handle: async ({ params: { task_id }, body, load, begin, requestId, transaction }) => {
      const { branch } = body;
      const pull = await load();
      const elsewhere = pull.host !== 'local';
      if (elsewhere && pull.base !== branch) {
        requireChangeable(pull);
        const target = await begin((tx) =>
          tx.maybeOne(sql`
            select from merge_target
             where project_id = ${pull.project_id} and branch = ${branch}`),
        );
        if (target === undefined) throw notATarget();
        // If this dies before it is recorded, the next refresh from its host records it.
        await retarget(hosts, pull, branch);
      }
      return transaction(async (tx, caller) => {
        requireChangeable(caller);
        const [changed] = await tx.many(sql`
          update pull_request set base = m.branch, updated_at = clock_timestamp()
            from merge_target m
           where task_id = ${task_id} and m.project_id = ${caller.project_id}
             and m.branch = ${branch}
          returning task_id`);
        if (changed === undefined) throw notATarget();
        if (caller.base !== branch)
          await recordChange(tx, {
            caller,
            action: 'pull_request.retarget',
            target: task_id,
            requestId,
            organizationId: caller.organization_id,
            projectId: caller.project_id,
            before: { base: caller.base },
            after: { base: branch },
          });
        const { item } = await tx.one<{ item: string }>(showStored(task_id, caller));
        const git = caller.host !== 'local' ? seenOnHost(caller) : undefined;
        return { status: 200, body: shownPullRequest(item, task_id, publicUrl, git, true) };
      });
    },
  });

function requireChangeable({ state, archived, merging }: OfPullRequest): void {
  if (state !== 'open') throw notOpen();
  if (archived) throw projectArchived();
  if (merging) throw mergeQueued();
}

async function retarget(hosts: CodeHosts, pull: OfPullRequest, branch: string): Promise<void> {
  const host = requireHost(hosts, pull);
  await asking(() => host.retargetPull(pull, pull.number, branch));
}
