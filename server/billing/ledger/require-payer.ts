import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { accountNotActive, insufficientFunds } from './holds.ts';
import { account } from './paying-account.ts';
import { isSpent, limits, spendLimitReached } from './spend-limits.ts';

/** The refusals of `requirePayer`. */
export const unpaidErrors = [insufficientFunds, accountNotActive, spendLimitReached];

/**
 * Refuses to begin what costs by the time for which it runs, and for which nothing is held, unless
 * the account that pays for the task has a balance and no limit of this month is spent to which that
 * time counts. Locks the account until the end of the transaction. Errors: `unpaidErrors`, all 402.
 */
export async function requirePayer(tx: Tx, taskId: string): Promise<void> {
  const payer = await tx.maybeOne<{
    id: string;
    status: string;
    balance: bigint;
    is_off: boolean;
  }>(sql`
    select id, status, balance,
           exists (select from billing_mode where mode = 'off') as is_off
      from billing_account
     where id in (select a.id from task t join project p on p.id = t.project_id
                   cross join lateral (${account}) a where t.id = ${taskId})
       for no key update`);
  if (payer === undefined) throw accountNotActive();
  if (!payer.is_off && payer.status !== 'active') throw accountNotActive();
  if (!payer.is_off && payer.balance <= 0n) throw insufficientFunds();
  const { limited } = await tx.one<{ limited: boolean }>(sql`
    select exists (select from spend_limit l
                    where l.account_id = ${payer.id} and ${isSpent}
                      and ${limits({
                        project: sql`t.project_id`,
                        task: sql`t.id`,
                        person: sql`t.created_by_user_id`,
                      })}) as limited
      from task t where t.id = ${taskId}`);
  if (limited) throw spendLimitReached();
}
