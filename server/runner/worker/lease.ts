import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/**
 * A turn that this process has claimed. Whoever claims it next raises the fence, so that every
 * statement of an earlier owner changes nothing.
 */
export interface Lease {
  taskId: string;
  turnId: string;
  owner: string;
  attempt: number;
  fence: bigint;
}

/** Another worker has the turn now, or it was deleted: end the agent and write nothing. */
export class LostLease extends Error {
  constructor({ turnId }: Pick<Lease, 'turnId'>) {
    super(`This worker does not have turn ${turnId} any more.`);
  }
}

/**
 * SQL: the task and the turn of a lease that still holds, as one row `task_id, turn_id`, otherwise
 * none. Locks the task, and every write of a worker begins with it: a claim locks the task as well,
 * so that it comes either before this or after all that is written with it. Locks the turn, too: of
 * a row that is not locked, a statement that has waited sees what it was before.
 */
export const owned = ({ taskId, turnId, owner, attempt, fence }: Lease): Sql => sql`
  select t.id as task_id, u.id as turn_id
    from task t join task_turn u on u.task_id = t.id
   where t.id = ${taskId} and t.fence = ${fence}
     and u.id = ${turnId} and u.owner = ${owner} and u.attempt = ${attempt}
     and u.state in ('running', 'waiting')
     for no key update of t, u`;

/** Begins a transaction that writes for a lease. Throws LostLease. */
export async function lockLease(tx: Tx, lease: Lease): Promise<void> {
  const row = await tx.maybeOne(owned(lease));
  if (row === undefined) throw new LostLease(lease);
}
