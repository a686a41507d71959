import { recordUsage, type UsageEvent } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Turn } from './claim.ts';
import { lockLease } from './lease.ts';

/** What a cost was for, as far as it is known. */
export type Counted = Pick<UsageEvent, 'model' | 'inputTokens' | 'outputTokens'>;

/**
 * Records a cost of the turn, and returns true. When no hold of who paid so far covers it any more,
 * because it was ended elsewhere, nothing is recorded; what costs nothing needs none. Who ends holds
 * locks the task, as this does.
 */
export async function recordCost(
  tx: Tx,
  turn: Turn,
  cost: Omit<UsageEvent, 'accountId' | 'reference' | 'occurredAt'>,
): Promise<boolean> {
  await lockLease(tx, turn);
  const { accountId, covered, known, occurredAt } = await tx.one<{
    accountId: string | null;
    covered: boolean;
    known: boolean;
    occurredAt: Date;
  }>(sql`
    select u.account_id as "accountId",
           exists (select from hold h
                    where h.reference_id = u.task_id and h.reference_type = 'task'
                      and h.status = 'open' and h.account_id = u.account_id) as covered,
           exists (select from usage_event where idempotency_key = ${cost.key}) as known,
           -- By one clock, because spend limits count it to this month.
           statement_timestamp() as "occurredAt"
      from task_turn u where u.id = ${turn.turnId}`);
  if (known || accountId === null || (!covered && cost.amount > 0n)) return known;
  const reference = { type: 'task_turn', id: turn.turnId };
  await recordUsage(tx, [{ ...cost, accountId, reference, occurredAt }]);
  await tx.many(sql`
    update task_turn set spent_nano = spent_nano + ${cost.amount} where id = ${turn.turnId}`);
  return true;
}

/** Nano-USD that agents of the turn have reported and no one paid. */
export const uncoveredOf = async (tx: Tx, { turnId }: Turn): Promise<bigint> =>
  (
    await tx.one<{ nano: bigint }>(sql`
      select uncovered_nano as nano from task_turn where id = ${turnId}`)
  ).nano;

export async function recordUncovered(tx: Tx, turn: Turn, nano: bigint): Promise<void> {
  await lockLease(tx, turn);
  await tx.many(sql`update task_turn set uncovered_nano = ${nano} where id = ${turn.turnId}`);
}
