import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { type Lease, LostLease, owned } from '../lease.ts';
import type { ToldComment } from './read-conversation.ts';

type Many = Pick<Database, 'many'>;

/**
 * Remembers what the agent of a turn was told of comments, so that later turns do not tell it as
 * news. What was written since is news still. Throws LostLease.
 */
export async function keepToldComments(
  db: Many,
  lease: Lease,
  comments: readonly ToldComment[],
): Promise<void> {
  const news = comments.filter((comment) => comment.news !== 'known');
  if (news.length === 0) return;
  const [row] = await db.many(sql`
    with owned as materialized (${owned(lease)}),
    told as (
      update plan_comment c
         set told_in_turn = u.number, told_revision = told.revision, told_resolved = told.resolved
        from owned
        join task_turn u on u.id = owned.turn_id
        cross join unnest(${news.map(({ id }) => id)}::uuid[],
                          ${news.map(({ revision }) => revision)}::timestamptz[],
                          ${news.map((one) => one.news === 'resolved')}::boolean[])
                   told (id, revision, resolved)
       where c.id = told.id and c.task_id = owned.task_id)
    select 1 from owned`);
  if (row === undefined) throw new LostLease(lease);
}

/** Remembers that the agent has answered in its session, and so knows what it was told there. */
export const keepToldSession = (
  db: Many,
  lease: Lease,
  podId: string,
  session: string,
): Promise<unknown> =>
  db.many(sql`
    with owned as materialized (${owned(lease)})
    update pod set told_session = ${session} from owned
     where id = ${podId} and agent_session = ${session}
       and told_session is distinct from ${session}`);
