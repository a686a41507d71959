import Type from 'typebox';
import { type OfPullRequest, onMerge } from '../../access/task.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, forbidden } from '../../http/errors.ts';
import { boolean, oneOf } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CodeHosts } from '../hosts/code-host.ts';
import { asking, hostErrors, requireHost } from '../hosts/errors.ts';
import { refreshPull } from '../hosts/refresh-pull.ts';
import { answered, GIT_WITHIN_MS, gitLate } from '../repositories/answered.ts';
import { repositoryElsewhere } from '../repositories/errors.ts';
import { type Checks, checksOf, mayForce } from './checks.ts';
import { METHODS, merge } from './merge.ts';
import { notOpen, projectArchived, sha } from './pull-request.ts';
import type { PullRequestServices } from './services.ts';

const headChanged = apiError(
  409,
  'head_changed',
  'The branch of the task has other commits than you have seen: look at the changes, then merge ' +
    '`head_sha` if they are right',
);

const planNotApproved = apiError(
  409,
  'plan_not_approved',
  'No version of the plan of this task was approved: approve it before its work is merged',
);

const checksNotPassed = apiError(
  409,
  'checks_not_passed',
  'The checks of this commit have not passed: wait for those that run, or let the task fix those ' +
    'that failed; owners and admins may merge with `force`',
);

const notATarget = apiError(
  409,
  'merge_target_gone',
  'The base of the pull request is no merge target of the project any more: choose another one',
);

/** Merges the branch of a task. */
export const mergeTask = ({ merging, hosts }: PullRequestServices) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/merge',
    area: 'Pull Requests & Deploys',
    operationId: 'merge_task',
    wakes: true,
    summary: 'Merge a task',
    description:
      'Merges the branch of the task into the base of its open pull request. Owners and admins ' +
      'may, and members of a team on the project that may merge into branches of that stage. ' +
      '`expected_head_sha` is the commit that you have seen: if the branch has moved since, the ' +
      'answer is 409 `head_changed` with both. A worker carries it out: `get_merge` shows what ' +
      'came of it. While the checks of that commit run, or if they failed, the answer is 409 ' +
      '`checks_not_passed`; owners and admins may merge all the same with `force`, which is ' +
      'recorded. A task is merged once: asking again answers the first merge, unless that failed.',
    access: onMerge,
    params: ids('task_id'),
    body: Type.Object(
      {
        expected_head_sha: sha('The last commit of the branch as you have seen it.'),
        method: Type.Optional(
          oneOf([...METHODS], {
            default: 'merge',
            description: '`squash` makes one commit without the history of the branch.',
          }),
        ),
        force: Type.Optional(
          boolean({
            default: false,
            description: 'Merges although checks have not passed. Owners and admins only.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    sample: () => ({
      body: { expected_head_sha: '8098d1895c045b0d672c07a79b3f857a8381ff12' },
    }),
    responses: { 200: merge.shown('The merge; `state` says how far it is.', []) },
    errors: [
      headChanged,
      planNotApproved,
      checksNotPassed,
      notATarget,
      notOpen,
      projectArchived,
      repositoryElsewhere,
      gitLate,
      ...hostErrors,
    ],
    auditDenied: { action: 'task.merge', target: 'task_id' },
    handle: async ({ params: { task_id }, body, load, begin, requestId, transaction }) => {
      const pull = await load();
      const { project_id } = pull;
      const of = { projectId: project_id, taskId: task_id };
      const { expected_head_sha, method = 'merge', force = false } = body;
      const elsewhere = pull.host !== 'local';
      if (elsewhere && pull.state === 'open' && !pull.merging)
        await refreshFirst(hosts, begin, pull);
      const local = elsewhere
        ? undefined
        : await answered(merging.headOf(of, AbortSignal.timeout(GIT_WITHIN_MS)));
      return transaction(async (tx, caller) => {
        if (force && !mayForce(caller)) throw forbidden();
        const head = elsewhere ? caller.head_sha : local;
        const [first] = await tx.many<{ item: string }>(sql`
          select ${merge.json} as item
            from merge t where t.task_id = ${task_id} and t.state <> 'failed'`);
        if (first !== undefined) return { status: 200, body: first.item };
        if (caller.state !== 'open') throw notOpen();
        if (caller.archived) throw projectArchived();
        if (caller.stage === null) throw notATarget();
        await requireApproval(tx, task_id);
        if (head === 'elsewhere') throw repositoryElsewhere();
        if (head !== expected_head_sha)
          throw headChanged({ expected_head_sha, head_sha: head ?? null });
        const { checks } = await tx.one<{ checks: Checks }>(sql`
          select ${checksOf(sql`${task_id}::uuid`, sql`${head}::text`)} as checks`);
        const forced = checks.state !== 'none' && checks.state !== 'passed';
        if (forced && !force) throw checksNotPassed({ checks });
        const { item } = await tx.one<{ item: string }>(sql`
          with t as (
            insert into merge
                   (task_id, branch, stage, method, expected_head_sha, forced,
                    requested_by_user_id)
            values (${task_id}, ${caller.base}, ${caller.stage}, ${method}, ${head}, ${forced},
                    ${caller.userId})
            returning *)
          select ${merge.json} as item from t`);
        await recordChange(tx, {
          caller,
          action: 'task.merge',
          target: task_id,
          requestId,
          organizationId: caller.organization_id,
          projectId: project_id,
          before: {},
          after: { branch: caller.base, stage: caller.stage, method, head, forced },
        });
        return { status: 200, body: item };
      });
    },
  });

/** What its host says of it now counts, not what it said last. */
async function refreshFirst(
  hosts: CodeHosts,
  begin: (work: (tx: Tx) => Promise<void>) => Promise<void>,
  { task_id, ...pull }: OfPullRequest,
): Promise<void> {
  const host = requireHost(hosts, pull);
  await asking(() => refreshPull(begin, host, { ...pull, taskId: task_id }));
}

/** Work that was built without a plan needs no approval; a plan does. */
async function requireApproval(tx: Pick<Tx, 'many'>, taskId: string): Promise<void> {
  const [unapproved] = await tx.many(sql`
    select from plan where task_id = ${taskId} and approved_version is null`);
  if (unapproved !== undefined) throw planNotApproved();
}
