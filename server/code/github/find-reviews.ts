import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { HostPull, PullOfTask } from '../hosts/code-host.ts';
import { HostError } from '../hosts/host-error.ts';
import type { GitHub } from './app.ts';
import { named } from './pulls.ts';
import { inRepository } from './read-repository.ts';
import { recordReview } from './record-review.ts';
import type { NamedReview } from './reviews.ts';
import { GITHUB_PAGE, hasNext } from './scan.ts';

const MINUTE = 60_000;
/** GitHub lists what is new a moment late, and the first time is by the clock of this server. */
const OVERLAP = 5 * MINUTE;
/** What is older is not asked for: no one waits for it. */
const OLDEST = 7 * 24 * 60 * MINUTE;
/** GitHub is not asked more often than this, and at least this often also if nothing has changed. */
const BETWEEN = { least: 4 * MINUTE, most: 60 * MINUTE };
/** Of comments that are new, and of the end of the list of reviews. */
const MOST_PAGES = { comments: 10, reviews: 3 };
/** Reviews and comments that one poll reads. The others follow with the next one. */
const MOST_READ = 50;

interface Written extends NamedReview {
  /** When, in milliseconds by the clock of GitHub. */
  at: number;
}

/**
 * Records the reviews and comments of an open pull request of which no webhook has told: GitHub sends
 * none again that this server did not take. Those that are known are recorded once all the same.
 * Throws a HostError; then they are asked for again.
 */
export async function findReviews(
  db: Database,
  github: GitHub,
  pull: PullOfTask,
  { updatedAt }: Pick<HostPull, 'updatedAt'>,
  log: Logger,
): Promise<void> {
  const row = await db.maybeOne<{ until: Date }>(sql`
    select reviews_known_until as until from pull_request
     where task_id = ${pull.taskId} and state = 'open'`);
  if (row === undefined) return;
  const known = row.until.getTime();
  const ago = Date.now() - known;
  const changed = updatedAt.getTime() >= known - OVERLAP;
  if (ago < (changed ? BETWEEN.least : BETWEEN.most)) return;
  const since = Math.max(known - OVERLAP, Date.now() - OLDEST);
  const { asked, written } = await writtenSince(github, pull, since);
  const { read, until } = within(await unknownOf(db, written), asked);
  let failure: HostError | undefined;
  for (const each of read) {
    try {
      await recordReview(db, github, String(pull.repositoryId), each);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      log.warn({ err: error, task: pull.taskId }, 'a review on GitHub could not be read');
      if (error.code === 'github_rate_limited') throw error;
      if (error.passes) failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  await db.many(sql`
    update pull_request
       set reviews_known_until = greatest(reviews_known_until, ${new Date(until)})
     where task_id = ${pull.taskId}`);
}

/** The oldest ones, and up to when everything is known once these are. */
function within(
  written: readonly Written[],
  asked: number,
): { read: readonly Written[]; until: number } {
  const sorted = written.toSorted((a, b) => a.at - b.at);
  const last = sorted[MOST_READ - 1];
  if (last === undefined || sorted.length === MOST_READ) return { read: sorted, until: asked };
  // All of one second, which is as exact as GitHub is: so the next poll begins later.
  const read = sorted.filter(({ at }) => at <= last.at);
  return { read, until: read.length === sorted.length ? asked : last.at + OVERLAP + 1_000 };
}

async function unknownOf(db: Database, written: readonly Written[]): Promise<Written[]> {
  const known = await db.many<{ kind: string; id: number }>(sql`
    select known.kind, known.host_id::float8 as id
      from unnest(${written.map(({ kind }) => kind)}::text[],
                  ${written.map(({ id }) => id)}::bigint[]) as of (kind, host_id)
      join github_review known using (kind, host_id)`);
  const names = new Set(known.map(({ kind, id }) => `${kind} ${id}`));
  return written.filter(({ kind, id }) => !names.has(`${kind} ${id}`));
}

/** `asked`: when GitHub has answered, by its clock. */
async function writtenSince(
  github: GitHub,
  pull: PullOfTask,
  since: number,
): Promise<{ asked: number; written: Written[] }> {
  const { asked, comments } = await commentsSince(github, pull, since);
  const reviews = await reviewsSince(github, pull, since);
  return { asked, written: [...comments, ...reviews] };
}

async function commentsSince(github: GitHub, pull: PullOfTask, since: number) {
  const api = inRepository(github, pull, { pull_requests: 'read' });
  const path = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const of = { ...named(pull), issue_number: pull.number, since: new Date(since).toISOString() };
  const comments: Written[] = [];
  let asked: number | undefined;
  for (let page = 1; page <= MOST_PAGES.comments; page++) {
    const { data, headers } = await api.request(path, { ...of, per_page: GITHUB_PAGE, page });
    asked ??= Date.parse(headers.date ?? '') || since;
    for (const { id, user, body, updated_at, performed_via_github_app } of data)
      if (user?.type === 'User' && !performed_via_github_app && body?.includes('@'))
        comments.push({
          kind: 'comment',
          id: Number(id),
          pull: pull.number,
          at: Date.parse(updated_at),
        });
    if (!hasNext(headers)) break;
  }
  return { asked: asked ?? since, comments };
}

/** GitHub lists them from the oldest on, and takes no time to begin with. */
async function reviewsSince(github: GitHub, pull: PullOfTask, since: number): Promise<Written[]> {
  const api = inRepository(github, pull, { pull_requests: 'read' });
  const path = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const of = { ...named(pull), pull_number: pull.number, per_page: GITHUB_PAGE };
  const first = await api.request(path, { ...of, page: 1 });
  const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1);
  const found = [...first.data];
  for (let page = Math.max(2, last - MOST_PAGES.reviews + 1); page <= last; page++)
    found.push(...(await api.request(path, { ...of, page })).data);
  return found.flatMap(({ id, user, state, submitted_at }) => {
    const at = Date.parse(submitted_at ?? '');
    return user?.type === 'User' && state !== 'PENDING' && at >= since
      ? { kind: 'review', id: Number(id), pull: pull.number, at }
      : [];
  });
}
