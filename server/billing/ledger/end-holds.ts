import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { settleAccount } from './usage.ts';

/**
 * Ends the open holds of things that are being deleted: what they used so far is charged, then the
 * rest becomes available again. The charge comes first, because what is available could be spent
 * before it and leave a debt. `ids` is SQL: a select of the UUIDs that the holds refer to. Locks
 * the holds, then their accounts, each kind in one order, so that two deletions cannot deadlock.
 * Returns how many holds it released.
 */
export async function endHoldsOf(tx: Tx, type: string, ids: Sql): Promise<number> {
  const held = await tx.many<{ id: string; accountId: string }>(sql`
    select id, account_id as "accountId" from hold
     where reference_id in (${ids}) and reference_type = ${type} and status = 'open'
     order by account_id, id for no key update`);
  if (held.length === 0) return 0;
  const accounts = [...new Set(held.map(({ accountId }) => accountId))];
  await tx.many(sql`
    select id from billing_account
     where id = any(${accounts}::uuid[]) order by id for no key update`);
  for (const accountId of accounts) await settleAccount(tx, accountId);
  const released = await tx.many(sql`
    update hold set status = 'released'
     where id = any(${held.map(({ id }) => id)}::uuid[]) and status = 'open' returning id`);
  return released.length;
}

/**
 * Ends the open holds of tasks on the accounts whose ids `accounts` selects, while the tasks go on:
 * what they cost next finds no hold, so it is not charged, and they must hold anew.
 */
export async function endTaskHolds(tx: Tx, accounts: Sql): Promise<void> {
  const held = sql`
    select reference_id from hold
     where account_id in (${accounts}) and reference_type = 'task' and status = 'open'`;
  // Whoever records a cost locks the task first.
  await tx.many(sql`select id from task where id in (${held}) order by id for no key update`);
  await endHoldsOf(tx, 'task', held);
}
