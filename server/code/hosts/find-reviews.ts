import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { HostPull, PullOfTask } from './code-host.ts';
import { HostError } from './host-error.ts';
import { recordReview } from './record-review.ts';
import type { HostReviews, Written } from './reviews.ts';

const MINUTE = 60_000;
/** A host lists what is new a moment late, and the first time is by the clock of this server. */
const OVERLAP = 5 * MINUTE;
/** What is older is not asked for: no one waits for it. */
const OLDEST = 7 * 24 * 60 * MINUTE;
/** The host is not asked more often than this, and at least this often also if nothing has changed. */
const BETWEEN = { least: 4 * MINUTE, most: 60 * MINUTE };
/** Reviews and comments that one poll reads. The others follow with the next one. */
const MOST_READ = 50;

interface Seen extends Pick<HostPull, 'updatedAt'> {
  /** A webhook has just said that something has changed. */
  told: boolean;
}

/**
 * Records the reviews and comments of an open pull request that no webhook has named: GitHub sends
 * none again that this server did not take, and those of Gitea are not read. Those that are known are
 * recorded once all the same. Throws a HostError; then they are asked for again.
 */
export async function findReviews(
  db: Database,
  reviews: HostReviews,
  pull: PullOfTask,
  { updatedAt, told }: Seen,
  log: Logger,
): Promise<void> {
  const row = await db.maybeOne<{ until: Date }>(sql`
    select reviews_known_until as until from pull_request
     where task_id = ${pull.taskId} and state = 'open'`);
  if (row === undefined) return;
  const known = row.until.getTime();
  const ago = Date.now() - known;
  const changed = updatedAt.getTime() >= known - OVERLAP;
  const atOnce = told && !reviews.areNamed;
  if (!atOnce && ago < (changed ? BETWEEN.least : BETWEEN.most)) return;
  const since = Math.max(known - OVERLAP, Date.now() - OLDEST);
  const { asked, written } = await reviews.writtenSince(pull, since);
  const { read, until } = within(await unknownOf(db, pull, written), asked);
  let failure: HostError | undefined;
  for (const each of read) {
    try {
      await recordReview(db, reviews, pull.taskId, each);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      log.warn({ err: error, task: pull.taskId }, 'a review could not be read');
      if (error.code.endsWith('_rate_limited')) throw error;
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
  // All of one second, which is as exact as hosts are: so the next poll begins later.
  const read = sorted.filter(({ at }) => at <= last.at);
  return { read, until: read.length === sorted.length ? asked : last.at + OVERLAP + 1_000 };
}

async function unknownOf(
  db: Database,
  { taskId }: PullOfTask,
  written: readonly Written[],
): Promise<Written[]> {
  const known = await db.many<{ kind: string; id: number }>(sql`
    select known.kind, known.host_id::float8 as id
      from unnest(${written.map(({ kind }) => kind)}::text[],
                  ${written.map(({ id }) => id)}::bigint[]) as of (kind, host_id)
      join github_review known using (kind, host_id)
     where known.task_id = ${taskId}`);
  const names = new Set(known.map(({ kind, id }) => `${kind} ${id}`));
  return written.filter(({ kind, id }) => !names.has(`${kind} ${id}`));
}
