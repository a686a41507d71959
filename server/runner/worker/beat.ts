import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * Renews the leases of all turns of a process in one statement, in the order of their ids. A turn
 * that is not in the answer is lost: also one whose lease has run out, because its process slept.
 */
export const beat = async (
  db: Pick<Database, 'many'>,
  owner: string,
  turns: readonly { turnId: string; attempt: number }[],
  lease: number,
): Promise<Set<string>> => {
  const kept = await db.many<{ id: string }>(sql`
    with mine as materialized (
      select u.id
        from task_turn u
        join unnest(${turns.map(({ turnId }) => turnId)}::uuid[],
                    ${turns.map(({ attempt }) => attempt)}::int[]) g(id, attempt)
          on u.id = g.id and u.attempt = g.attempt
       where u.owner = ${owner} and u.state in ('running', 'waiting')
         and u.lease_until > clock_timestamp()
       order by u.id
         for no key update of u)
    update task_turn u
       set lease_until = clock_timestamp() + ${lease}::integer * interval '1 millisecond'
      from mine where u.id = mine.id
    returning u.id`);
  return new Set(kept.map(({ id }) => id));
};

/** What someone has asked of turns at work. */
interface Cancellation {
  turnId: string;
  cancel: boolean;
  /** It took longer than it may, not counting the time in which it waited for an answer. */
  late: boolean;
}

/** The turns of a process that are to be ended. */
export const readCancellations = (
  db: Pick<Database, 'read'>,
  turnIds: readonly string[],
): Promise<Cancellation[]> =>
  db.read<Cancellation>(sql`
    select id as "turnId", cancel_requested_at is not null as cancel,
           state = 'running' and deadline_at < now() as late
      from task_turn
     where id = any(${turnIds}::uuid[])
       and (cancel_requested_at is not null or state = 'running' and deadline_at < now())`);
