import { onTaskWithPullRequest } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { createTransfers } from '../../http/transfers.ts';
import { answered, gitLate } from '../repositories/answered.ts';
import type { Compared } from '../repositories/merging.ts';
import { mayForce } from './checks.ts';
import {
  example,
  gitBusy,
  pullRequestNotFound,
  schema,
  seenOnHost,
  shownPullRequest,
  stored,
} from './pull-request.ts';
import type { PullRequestServices } from './services.ts';

/** The pull request of a task, compared with the branch that it is to be merged into. */
export const getPullRequest = ({ merging, publicUrl }: PullRequestServices) => {
  const transfers = createTransfers(gitBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'GET',
    path: '/api/tasks/{task_id}/pull-request',
    area: 'Pull Requests & Deploys',
    operationId: 'get_pull_request',
    summary: 'Get the pull request of a task',
    description:
      'The pull request of the task, and whether it can be merged into its base now: that is ' +
      'computed for each answer. Everyone who can open the project may see it.',
    access: onTaskWithPullRequest('open_project'),
    params: ids('task_id'),
    responses: { 200: { description: 'The pull request.', schema, example } },
    errors: [pullRequestNotFound, gitBusy, gitLate],
    handle: ({ params: { task_id }, statement }) =>
      statement<{ item: string | null; begins: string | null }>(
        {
          select: sql`
            select case when t.task_id is not null then ${stored.json} end as item,
                   (select base from task where id = authorized.task_id) as begins
              from authorized left join pull_request t using (task_id)`,
        },
        ({ item, begins, userId, ...pull }) => {
          if (item === null || pull.number === null) throw pullRequestNotFound();
          const mayMerge = pull.merging || mayForce(pull);
          const body = (git?: Compared) =>
            shownPullRequest(item, task_id, publicUrl, git, mayMerge);
          if (pull.host !== 'local') return { status: 200, body: body(seenOnHost(pull)) };
          const later = async (signal: AbortSignal) => {
            const of = { projectId: pull.project_id, taskId: task_id, base: pull.base, begins };
            const asker = { userId, signal };
            const git =
              pull.state === 'open' ? await answered(merging.compare(of, asker)) : undefined;
            return { status: 200, body: body(git) };
          };
          return { status: 200, later: (signal) => transfers.run(userId, () => later(signal)) };
        },
      ),
  });
};
