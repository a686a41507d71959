import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CodeHosts, HostPull } from '../hosts/code-host.ts';
import { asking, hostErrors, requireHost } from '../hosts/errors.ts';
import { HostError } from '../hosts/host-error.ts';
import { answered, GIT_WITHIN_MS, gitLate } from '../repositories/answered.ts';
import { recordHead } from '../repositories/begin-checks.ts';
import { repositoryElsewhere } from '../repositories/errors.ts';
import { branchOf } from '../repositories/git.ts';
import { mayForce } from './checks.ts';
import { type Offer, offerOf } from './offer.ts';
import { example, projectArchived, schema, shownPullRequest, showStored } from './pull-request.ts';
import type { PullRequestServices } from './services.ts';

const nothingToMerge = apiError(
  409,
  'nothing_to_merge',
  'The task has no commits yet: approve its plan and wait until it is built, or push to its branch',
);

const baseGone = apiError(
  409,
  'base_branch_gone',
  'The branch that the task began with does not exist on its host any more: push it there again',
);

const noMergeTarget = apiError(
  409,
  'no_merge_target',
  'The project has no branch that tasks may be merged into: set its merge targets first',
);

/** Offers the branch of a task for merging. */
export const openPullRequest = ({ merging, hosts, publicUrl }: PullRequestServices) =>
  route({
    method: 'POST',
    path: '/api/tasks/{task_id}/pull-request',
    area: 'Pull Requests & Deploys',
    operationId: 'open_pull_request',
    wakes: true,
    summary: 'Open the pull request of a task',
    description:
      "Offers the task's branch for merging, with the title of the task and its approved plan. " +
      'It is to be merged into the `base` of the task, if it has one; otherwise into the default ' +
      'branch if that is a merge target of the project, or into the first of its merge targets. ' +
      '`set_task_merge_target` chooses another one. Whether it can be merged is said by `get_pull_request`. A pull request that is there already is the answer, with status 200. Members of the ' +
      'project may.',
    access: onTask('work_on_task'),
    params: ids('task_id'),
    responses: {
      200: { description: 'The pull request that was there.', schema, example },
      201: { description: 'The new pull request.', headers: ['Location'], schema, example },
    },
    errors: [
      nothingToMerge,
      noMergeTarget,
      baseGone,
      projectArchived,
      repositoryElsewhere,
      gitLate,
      ...hostErrors,
    ],
    handle: async ({ params: { task_id }, load, begin, requestId, transaction }) => {
      const { project_id } = await load();
      const of = { projectId: project_id, taskId: task_id };
      const within = AbortSignal.timeout(GIT_WITHIN_MS);
      const head = await answered(merging.headOf(of, within));
      const offer = await begin((tx) => tx.one<Offer>(offerOf(task_id)));
      const pull =
        !offer.open && offer.host !== 'local'
          ? await openOnHost(hosts, requireOpenable(offer, head), branchOf(task_id))
          : undefined;
      const builds =
        !offer.open &&
        pull === undefined &&
        head !== undefined &&
        head !== 'elsewhere' &&
        (await answered(merging.hasBuildFile(project_id, head, within)));
      return transaction(async (tx, caller) => {
        const open = await tx.maybeOne(sql`select from pull_request where task_id = ${task_id}`);
        if (open === undefined) {
          // Locked, so that its numbers are given once.
          const offer = await tx.one<Offer>(sql`${offerOf(task_id)} for no key update of r`);
          const { base, repository, head: sha } = requireOpenable(offer, head);
          // Attached meanwhile: its host was not asked.
          if (offer.host !== 'local' && pull === undefined) throw repositoryElsewhere();
          const number = sql`
            coalesce(${pull?.number ?? null}::integer,
                     (select coalesce(max(number), 0) + 1 from pull_request
                       where repository_id = ${repository}))`;
          await tx.many(sql`
            insert into pull_request
                   (task_id, repository_id, number, base, title, body, url, head_sha,
                    opened_by_user_id)
            values (${task_id}, ${repository}, ${number}, ${pull?.base ?? base}, ${offer.title},
                    ${offer.body}, ${pull?.url ?? null}, ${pull?.headSha ?? sha},
                    ${caller.userId})`);
          // What another host has, a worker polls.
          if (pull === undefined) await recordHead(tx, task_id, { head: sha, builds });
          await recordChange(tx, {
            caller,
            action: 'pull_request.open',
            target: task_id,
            requestId,
            organizationId: caller.organization_id,
            projectId: project_id,
            before: {},
            after: { base: pull?.base ?? base, head: pull?.headSha ?? sha },
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

/** Errors: why the branch of the task cannot be offered. */
function requireOpenable(
  offer: Offer,
  head: string | undefined | 'elsewhere',
): Offer & { base: string; head: string } {
  if (offer.archived) throw projectArchived();
  if (head === 'elsewhere') throw repositoryElsewhere();
  if (head === undefined) throw nothingToMerge();
  if (offer.base === null) throw noMergeTarget();
  return { ...offer, base: offer.base, head };
}

/** It is found again if this dies before it is recorded. */
async function openOnHost(
  hosts: CodeHosts,
  offer: Offer & { base: string },
  head: string,
): Promise<HostPull> {
  const host = requireHost(hosts, offer);
  const { title, body, base } = offer;
  return asking(async () => {
    try {
      return await host.openPull(offer, { head, base, title, body });
    } catch (error) {
      const lacksBranch = error instanceof HostError && [404, 422].includes(error.status ?? 0);
      if (!lacksBranch || !offer.chosen) throw error;
      const within = AbortSignal.timeout(GIT_WITHIN_MS);
      throw (await host.hasBranch(offer, base, within)) ? error : baseGone();
    }
  });
}
