import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { HostError } from '../hosts/host-error.ts';
import { recordReview } from '../hosts/record-review.ts';
import type { GitHub } from './app.ts';
import type { RefreshOptions } from './refresh-due.ts';
import { refreshInstallation } from './refresh-installation.ts';
import { type RepositoryOnGitHub, refreshRepository } from './refresh-repository.ts';
import { githubReviews } from './reviews.ts';
import { startByLabel, startByMention } from './start-routines.ts';

const BATCH = 20;
/** From this attempt on, a failure is logged as an error. */
const STUCK_AFTER = 5;

interface Due {
  id: string;
  event: string;
  attempts: number;
  installation_id: string | null;
  repository_id: string | null;
  pulls: number[] | null;
  review: number | null;
  comment: number | null;
  issue: number | null;
  action: string | null;
}

/**
 * Reads from GitHub what the stored deliveries are about; safe in any number of processes. What they say
 * makes no difference, so neither do their order and their number. A failure is logged and tried
 * again, at growing intervals, for as long as deliveries are kept. Returns how many it processed.
 */
export async function processDeliveries(
  db: Database,
  github: GitHub,
  { log, ending }: RefreshOptions,
): Promise<number> {
  for (let done = 0; ; ) {
    const due = await takeDue(db);
    for (const delivery of due) {
      if (ending?.aborted) return done;
      const failure = await attempt(db, github, delivery);
      if (failure === undefined) done++;
      else
        log[delivery.attempts < STUCK_AFTER ? 'warn' : 'error'](
          { delivery: delivery.id, event: delivery.event, err: failure },
          'a delivery of GitHub could not be processed; trying again',
        );
      await db.many(
        failure === undefined
          ? sql`
              update github_delivery set done_at = now(), last_error = null
               where id = ${delivery.id}`
          : sql`
              update github_delivery
                 set last_error = ${failure.message.slice(0, 500)},
                     not_before = greatest(not_before, ${failure.until ?? null})
               where id = ${delivery.id}`,
      );
    }
    if (due.length < BATCH) return done;
  }
}

// The next attempt is recorded before this one is made, so a process that dies here only causes a
// delay.
const takeDue = (db: Database): Promise<Due[]> =>
  db.many<Due>(sql`
    with due as (
      select id from github_delivery where done_at is null and not_before <= now()
       order by not_before limit ${BATCH} for update skip locked)
    update github_delivery d
       set attempts = attempts + 1,
           not_before = now() + least(interval '1 hour',
                                      interval '30 seconds' * 2 ^ least(attempts, 10))
      from due where due.id = d.id
    returning d.id, d.event, d.action, d.attempts, d.installation_id::text, d.repository_id::text,
              (select array_agg(number::int)
                 from jsonb_array_elements_text(d.subject -> 'pulls') number) as pulls,
              (d.subject ->> 'review')::float8 as review,
              (d.subject ->> 'comment')::float8 as comment,
              (d.subject ->> 'issue')::float8 as issue`);

async function attempt(
  db: Database,
  github: GitHub,
  delivery: Due,
): Promise<HostError | undefined> {
  try {
    await processOne(db, github, delivery);
    return undefined;
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
}

async function processOne(db: Database, github: GitHub, delivery: Due): Promise<void> {
  const { event, installation_id: installation, repository_id: repository } = delivery;
  if (event.startsWith('installation') && installation !== null) {
    // One that is not connected is of no use here, and anyone can install a public App.
    const known = await db.many(sql`select from github_installation where id = ${installation}`);
    if (known.length > 0) await refreshInstallation(db, github, Number(installation));
    if (event === 'installation_repositories')
      await db.many(sql`
        update repository set looked_at = '-infinity' where installation_id = ${installation}`);
  }
  if (repository === null) return;
  if (delivery.issue !== null) return startRoutines(db, github, repository, delivery);
  if (OF_REVIEWS.includes(event)) return recordReviews(db, github, repository, delivery);
  const used = await db.many<RepositoryOnGitHub>(sql`
    select id, installation_id::text, host_repository_id::text
      from repository where host = 'github' and host_repository_id = ${repository}`);
  if (event === 'repository') for (const each of used) await refreshRepository(db, github, each);
  if (used.length === 0) return;
  if (event === 'status' || event.startsWith('deployment')) await makeDeploysDue(db, repository);
  await makePullsDue(db, repository, delivery.pulls);
}

/** What happens to an issue may start routines, and changes nothing else. */
async function startRoutines(
  db: Database,
  github: GitHub,
  repository: string,
  { event, action, issue, comment }: Due,
): Promise<void> {
  if (issue === null) return;
  if (event === 'issues' && action === 'labeled') await startByLabel(db, github, repository, issue);
  if (event === 'issue_comment' && action === 'created' && comment !== null)
    await startByMention(db, github, repository, { issue, comment });
}

/** Events of what people write about a pull request, whose state they leave as it is. */
const OF_REVIEWS = ['pull_request_review', 'pull_request_review_comment', 'issue_comment'];

async function recordReviews(
  db: Database,
  github: GitHub,
  repository: string,
  { pulls, review, comment }: Due,
): Promise<void> {
  const [number] = pulls ?? [];
  const [pull] = await db.many<{ taskId: string }>(sql`
    select pr.task_id as "taskId"
      from pull_request pr join repository r on r.id = pr.repository_id
     where r.host = 'github' and r.host_repository_id = ${repository} and pr.number = ${number}
       and pr.state = 'open'`);
  if (pull === undefined) return;
  const reviews = githubReviews(github);
  if (review !== null) await recordReview(db, reviews, pull.taskId, { kind: 'review', id: review });
  if (comment !== null)
    await recordReview(db, reviews, pull.taskId, { kind: 'comment', id: comment });
}

// The poll finds which of them it is about.
const makeDeploysDue = (db: Database, repositoryId: string) =>
  db.many(sql`
    update merge m set looked_at = null
      from pull_request pr, repository r
     where pr.task_id = m.task_id and r.id = pr.repository_id and r.host = 'github'
       and r.host_repository_id = ${repositoryId}
       and m.state = 'merged' and m.ended_at > now() - interval '1 day'`);

// The poll finds which of them a commit or a branch belongs to.
const makePullsDue = (db: Database, repositoryId: string, pulls: number[] | null) =>
  db.many(sql`
    update pull_request pr set looked_at = null
      from repository r
     where r.id = pr.repository_id and r.host = 'github' and r.host_repository_id = ${repositoryId}
       and (pr.state = 'open' and ${pulls}::int[] is null or pr.number = any(${pulls}::int[]))`);
