import {
  leftUnder,
  limits,
  recordUsage,
  settleAccount,
  type UsageEvent,
} from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Turn } from './claim.ts';
import { leftToProject } from './payer.ts';

/** Who paid for a turn when it held something last, and who has asked for it. */
export interface PaidBy {
  accountId: string;
  userId: string;
}

/**
 * Records a cost of a turn whose task was deleted while its model answered, as far as the free balance,
 * the cap of the project and the limits of the month cover it: its hold has ended, and no turn leaves a
 * debt. Otherwise whoever deletes tasks before their answers end would pay nothing. Nothing for a task
 * that is there: another worker has the turn.
 */
export async function recordCostOfDeleted(
  tx: Tx,
  { taskId, turnId, projectId }: Turn,
  { accountId, userId }: PaidBy,
  cost: Omit<UsageEvent, 'accountId' | 'reference' | 'occurredAt'>,
): Promise<void> {
  // As who holds something: what is left is only sure while no other turn can hold of it.
  await tx.many(sql`
    select id from project where id = ${projectId} and spend_cap is not null for no key update`);
  await tx.many(sql`select id from billing_account where id = ${accountId} for no key update`);
  await settleAccount(tx, accountId);
  const found = await tx.maybeOne<{ free: bigint; occurredAt: Date }>(sql`
    select case when a.status = 'active'
                then greatest(0, least(a.balance - a.held, cap.left_over, month.left_over))
                else 0 end as free,
           statement_timestamp() as "occurredAt"
      from paying_account a
      left join lateral (
        select ${leftToProject(sql`null::uuid`)} as left_over
          from project p where p.id = ${projectId}) cap on true
     cross join lateral (
       select min(${leftUnder(sql`null::uuid`)}) as left_over
         from spend_limit l
        where l.account_id = a.id and ${limits({
          project: sql`${projectId}::uuid`,
          task: sql`${taskId}::uuid`,
          person: sql`${userId}::uuid`,
        })}) month
     where a.id = ${accountId} and not exists (select from task where id = ${taskId})`);
  if (found === undefined) return;
  const { free, occurredAt } = found;
  const amount = cost.amount > free * 1_000n ? free * 1_000n : cost.amount;
  const { inputTokens = 0, outputTokens = 0 } = cost;
  if (amount === 0n && inputTokens === 0 && outputTokens === 0) return;
  const reference = { type: 'task_turn', id: turnId };
  const of = { taskId, projectId, userId };
  await recordUsage(tx, [{ ...cost, amount, accountId, reference, occurredAt, of }]);
  await settleAccount(tx, accountId);
}
