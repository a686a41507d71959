import { type HostedRepository, hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { GitHub } from './app.ts';
import { type NamedReview, readReview } from './reviews.ts';

/**
 * Records a review or comment that a worker sends to the agent of the task, once, however often and in
 * whatever order GitHub reports it. One whose pull request is no open one of a task is not recorded.
 * Throws a HostError.
 */
export async function recordReview(
  db: Database,
  github: GitHub,
  repositoryId: string,
  of: NamedReview,
): Promise<void> {
  const [pull] = await db.many<HostedRepository & { taskId: string }>(sql`
    select pr.task_id as "taskId", ${hostColumns}
      from pull_request pr
      join repository r on r.id = pr.repository_id
      join project p on p.id = r.project_id
     where r.host = 'github' and r.host_repository_id = ${repositoryId} and pr.number = ${of.pull}
       and pr.state = 'open' and ${isConnected} and p.archived_at is null
       and not exists (select from github_review known
                        where known.kind = ${of.kind} and known.host_id = ${of.id})`);
  if (pull === undefined) return;
  const review = await readReview(github, pull, of);
  if (review === undefined) return;
  const { login, authorId, verdict, text, comments } = review;
  await db.many(sql`
    insert into github_review
           (task_id, kind, host_id, author_login, author_host_id, verdict, text, comments)
    select id, ${of.kind}, ${of.id}, ${login}, ${authorId}, ${verdict}, ${text},
           ${JSON.stringify(comments)}::jsonb
      from task where id = ${pull.taskId}
    on conflict on constraint github_review_once do nothing`);
}
