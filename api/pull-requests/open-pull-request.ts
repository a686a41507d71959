import { onTask } from '../access/project.ts';
import { recordChange } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordHead } from '../repositories/begin-checks.ts';
import { repositoryElsewhere } from '../repositories/errors.ts';
import type { Merging } from '../repositories/merging.ts';
import { mayForce } from './checks.ts';
import { GIT_WITHIN_MS, repositoryOfTask } from './merge-target.ts';
import { example, projectArchived, schema, shownPullRequest, showStored } from './pull-request.ts';

const nothingToMerge = apiError(
  409,
  'nothing_to_merge',
  'The task has no commits yet: approve its plan and wait until it is built, or push to its branch',
);

const noMergeTarget = apiError(
  409,
  'no_merge_target',
  'The project has no branch that tasks may be merged into: set its merge targets first',
);

/** Offers the branch of a task for merging. */
export const openPullRequest = (merging: Merging, publicUrl: string) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/pull-request',
    area: 'Pull Requests & Deploys',
    operationId: 'open_pull_request',
    summary: 'Open the pull request of a task',
    description:
      "Offers the task's branch for merging, with the title of the task and its approved plan. " +
      'It is to be merged into the default branch if that is a merge target of the project, ' +
      'otherwise into the first of its merge targets; `set_task_merge_target` chooses another ' +
      'one. Whether it can be merged is said by `get_pull_request`. A pull request that is there already is the answer, with status 200. Members of the ' +
      'project may.',
    access: onTask('work_on_task'),
    params: ids('task_id'),
    responses: {
      200: { description: 'The pull request that was there.', schema, example },
      201: { description: 'The new pull request.', headers: ['Location'], schema, example },
    },
    errors: [nothingToMerge, noMergeTarget, projectArchived, repositoryElsewhere],
    handle: async ({ params: { task_id }, load, requestId, transaction }) => {
      const { project_id } = await load();
      const of = { projectId: project_id, taskId: task_id };
      const within = AbortSignal.timeout(GIT_WITHIN_MS);
      const head = await merging.headOf(of, within);
      const builds =
        head !== undefined &&
        head !== 'elsewhere' &&
        (await merging.hasBuildFile(project_id, head, within));
      return transaction(async (tx, caller) => {
        const { open, archived } = await tx.one<{ open: boolean; archived: boolean }>(sql`
          select archived_at is not null as archived,
                 exists (select from pull_request where task_id = ${task_id}) as open
            from project where id = ${project_id}`);
        if (!open) {
          if (archived) throw projectArchived();
          if (head === 'elsewhere') throw repositoryElsewhere();
          if (head === undefined) throw nothingToMerge();
          // Locked, so that its numbers are given once.
          const repository = await tx.one<{ id: string; base: string | null }>(
            repositoryOfTask(project_id),
          );
          if (repository.base === null) throw noMergeTarget();
          await tx.many(sql`
            insert into pull_request
                   (task_id, repository_id, number, base, title, body, opened_by_user_id)
            select t.id, ${repository.id},
                   (select coalesce(max(number), 0) + 1 from pull_request
                     where repository_id = ${repository.id}),
                   ${repository.base}, t.title, left(coalesce(r.body, ''), 65536), ${caller.userId}
              from task t
              left join plan l on l.task_id = t.id
              left join plan_revision r
                on r.task_id = l.task_id and r.version = l.approved_version
             where t.id = ${task_id}`);
          await recordHead(tx, task_id, { head, builds });
          await recordChange(tx, {
            ...{ caller, action: 'pull_request.open', target: task_id, requestId },
            organizationId: caller.organization_id,
            projectId: project_id,
            ...{ before: {}, after: { base: repository.base, head } },
          });
        }
        const { item } = await tx.one<{ item: string }>(showStored(task_id, caller));
        const git = { heads: { head: head === 'elsewhere' ? undefined : head, base: undefined } };
        const body = shownPullRequest(item, task_id, publicUrl, git, mayForce(caller));
        return open
          ? { status: 200, body }
          : { status: 201, body, headers: { location: `/api/tasks/${task_id}/pull-request` } };
      });
    },
  });
