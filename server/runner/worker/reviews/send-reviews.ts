import { isConnected } from '../../../access/hosted-repository.ts';
import { allowed } from '../../../access/project.ts';
import type { Database, Tx } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { sentMessage } from '../../../tasks/index.ts';
import { reviewMessage, type WrittenReview } from './review-message.ts';

/** Reviews that one call sends; each in a transaction of its own. */
const MOST = 20;
/** After what time one is tried again whose task has too many messages that wait. */
const AGAIN = '1 minute';

/**
 * Sends what people have written to this server on other hosts to the agents of its tasks, each as
 * one message that waits as any other. `githubUrl`: of the GitHub whose accounts people have linked;
 * without it, what was written there waits. Any number of processes may do so. Returns how many it read.
 */
export async function sendReviews(db: Database, githubUrl: string | undefined): Promise<number> {
  for (let looked = 0; looked < MOST; looked++)
    if (!(await db.transaction((tx) => sendOne(tx, githubUrl ?? null)))) return looked;
  return MOST;
}

interface Found extends Omit<WrittenReview, 'known'> {
  id: string;
  taskId: string;
  projectId: string;
  organizationId: string | null;
  hostId: string;
  /** Whoever has linked the account. */
  userId: string | null;
  /** Whether that person may write messages on the task. */
  may: boolean;
  open: boolean;
}

async function sendOne(tx: Tx, githubUrl: string | null): Promise<boolean> {
  const [found] = await tx.many<Found>(next(githubUrl));
  if (found === undefined) return false;
  const { id, userId, host, login } = found;
  if (!found.open || (userId !== null && !found.may)) {
    await tx.many(sql`update github_review set state = 'ignored' where id = ${id}`);
    return true;
  }
  const text = reviewMessage({ ...found, known: userId !== null });
  const { number } = await tx.one<{ number: number | null }>(sql`
    with caller as (
      select ${userId}::uuid as user_id, null::uuid as key_id, null::uuid as session_id),
    authorized as (
      select ${found.taskId}::uuid as task_id, ${found.projectId}::uuid as project_id,
             ${found.organizationId}::uuid as organization_id),
    ${sentMessage(
      { text, attachment_ids: [], writtenBy: { host, login } },
      `${host}:${found.kind}:${found.hostId}`,
      'pull_request.review',
    )}
    select (select number from added) as number`);
  await tx.many(
    number === null
      ? sql`update github_review set not_before = now() + ${AGAIN}::interval where id = ${id}`
      : sql`update github_review set state = 'sent', message_number = ${number} where id = ${id}`,
  );
  return true;
}

// The task is locked first, as everywhere (decision 35): a review whose task someone has locked is
// left to the next poll.
const next = (githubUrl: string | null): Sql => sql`
  with due as materialized (
    select v.id
      from github_review v join task t on t.id = v.task_id
      left join pull_request pr on pr.task_id = t.id
      left join repository r on r.id = pr.repository_id
     where v.state = 'found' and v.not_before <= now()
       and (r.host = 'gitea' or ${githubUrl}::text is not null)
     order by v.id limit 1
       for no key update of t skip locked)
  select v.id, v.task_id as "taskId", t.project_id as "projectId",
         p.organization_id as "organizationId", coalesce(r.host, 'github') as host, v.kind,
         v.host_id::text as "hostId",
         v.author_login as login, v.verdict, v.text, v.comments, linked.user_id as "userId",
         exists (select from project_person person
                  where person.project_id = p.id and person.user_id = linked.user_id
                    and person.hidden_reason is null
                    and person.acts_as = any(${allowed('work_on_task')})) as may,
         coalesce(pr.state = 'open' and t.archived_at is null and p.archived_at is null
                  and ${isConnected}, false) as open
    from due
    join github_review v on v.id = due.id and v.state = 'found'
    join task t on t.id = v.task_id
    join project p on p.id = t.project_id
    left join pull_request pr on pr.task_id = t.id
    left join repository r on r.id = pr.repository_id
    left join lateral (
      select i.user_id from identity i
       where r.host = 'github' and i.provider = 'github' and i.issuer = ${githubUrl}
         and i.subject = v.author_host_id::text limit 1) linked on true
   for update of v`;
