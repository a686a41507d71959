import { randomUUID } from 'node:crypto';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Account, post } from './ledger.ts';
import { usdText } from './money.ts';
import { settleAccount } from './usage.ts';
import { openMoney } from './workspace-account.ts';

/** Why the money of a person keeps them from leaving: a code for programs, a sentence for people. */
interface Blocker {
  code: string;
  message: string;
}

/**
 * What stands in the way of a person who deletes their account: debt, charges whose outcome is open,
 * holds, and a balance, unless they give it up. Usage that is pending is charged first. The account
 * stays open, because a refund or a dispute may still be posted to it. Lock the person first.
 */
export async function moneyOfLeaving(
  tx: Tx,
  userId: string,
  givesUp: boolean,
): Promise<{ account: Account; blockers: Blocker[] }> {
  const locked = sql`
    select id, balance, held, status from billing_account where user_id = ${userId} for update`;
  const { id } = await tx.one<Account>(locked);
  await settleAccount(tx, id);
  const account = await tx.one<Account>(locked);
  const blockers: Blocker[] = await openMoney(tx, account);
  const elsewhere = await tx.maybeOne(sql`
    select id from top_up
     where user_id = ${userId} and account_id <> ${id} and status in ('created', 'processing')
     limit 1`);
  if (elsewhere !== undefined)
    blockers.push({
      code: 'top_up_in_flight',
      message:
        'The outcome of a charge of your card for a workspace is not known yet: wait until it is',
    });
  if (account.balance > 0n && !givesUp)
    blockers.push({
      code: 'balance_left',
      message:
        `Your balance is ${usdText(account.balance)} USD: use it, ask the operator of this server ` +
        'for a refund, or give it up',
    });
  return { account, blockers };
}

/**
 * Gives up what is left of a balance, with an entry of the audit trail that `record` writes under the
 * id it gets. Returns USD as decimal text.
 */
export async function giveUpBalance(
  tx: Tx,
  { id: accountId, balance }: Account,
  record: (event: { id: string; amount: string }) => Promise<void>,
): Promise<string> {
  if (balance <= 0n) return usdText(0n);
  const id = randomUUID();
  await record({ id, amount: usdText(balance) });
  await post(tx, {
    key: `account:${accountId}:given up`,
    kind: 'write_off',
    accountId,
    side: 'debit',
    counterpart: 'write_offs',
    amount: balance,
    reference: { type: 'audit_event', id },
  });
  return usdText(balance);
}
