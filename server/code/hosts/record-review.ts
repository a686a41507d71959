import { hostColumns, isConnected } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { PullOfTask } from './code-host.ts';
import { type HostReviews, type NamedReview, readReview } from './reviews.ts';

/**
 * Records a review or comment that a worker sends to the agent of the task, once, however often and
 * in whatever order the host reports it. One whose pull request is not open, or whose project is
 * archived or not connected any more, is not recorded. Throws a HostError.
 */
export async function recordReview(
  db: Database,
  reviews: HostReviews,
  taskId: string,
  of: NamedReview,
): Promise<void> {
  const [pull] = await db.many<PullOfTask>(sql`
    select pr.task_id as "taskId", pr.number, ${hostColumns}
      from pull_request pr
      join repository r on r.id = pr.repository_id
      join project p on p.id = r.project_id
     where pr.task_id = ${taskId} and pr.state = 'open' and ${isConnected} and p.archived_at is null
       and not exists (select from github_review known
                        where known.task_id = pr.task_id and known.kind = ${of.kind}
                          and known.host_id = ${of.id})`);
  if (pull === undefined) return;
  const review = await readReview(reviews, pull, of);
  if (review === undefined) return;
  const { login, authorId, verdict, text, comments } = review;
  await db.many(sql`
    insert into github_review
           (task_id, kind, host_id, author_login, author_host_id, verdict, text, comments)
    select id, ${of.kind}, ${of.id}, ${login}, ${authorId}, ${verdict}, ${text},
           ${JSON.stringify(comments)}::jsonb
      from task where id = ${taskId}
    on conflict on constraint github_review_once do nothing`);
}
