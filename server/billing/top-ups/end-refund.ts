import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { release } from '../ledger/holds.ts';

/**
 * Ends a refund and releases its hold; one that has already ended stays as it is. Lock its top-up
 * first.
 */
export async function endRefund(
  tx: Tx,
  refundId: string,
  status: 'succeeded' | 'failed',
  failure: string | null = null,
): Promise<void> {
  const ended = await tx.many(sql`
    update refund
       set status = ${status}, failure = ${failure}, next_check_at = null, updated_at = now()
     where id = ${refundId} and status = 'created' returning id`);
  if (ended.length === 0) return;
  const { id } = await tx.one<{ id: string }>(sql`
    select id from hold where idempotency_key = ${`refund:${refundId}`}`);
  await release(tx, id);
}
