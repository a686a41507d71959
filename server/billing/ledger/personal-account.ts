import { randomUUID } from 'node:crypto';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { requestDetach } from '../cards/detach-cards.ts';
import { type Account, post } from './ledger.ts';
import { usdText } from './money.ts';
import { settleAccount } from './usage.ts';
import { openMoney, switchOffAutoReload } from './workspace-account.ts';

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

/**
 * Removes the cards of a person, here at once and at the processor soon afterwards, and what invoices
 * would be addressed to. What was printed on invoices stays on them.
 */
export async function forgetPayer(tx: Tx, userId: string, accountId: string): Promise<void> {
  await switchOffAutoReload(tx, accountId);
  await tx.many(sql`
    update auto_reload r set enabled = false, updated_at = clock_timestamp()
      from payment_method p
     where p.id = r.payment_method_id and p.user_id = ${userId} and r.enabled`);
  const cards = await tx.many<{ token: string }>(sql`
    update payment_method set detached_at = now(), fingerprint = null
     where user_id = ${userId} and detached_at is null returning token`);
  for (const { token } of cards) await requestDetach(tx, token);
  await tx.many(sql`
    update card_setup set status = 'failed', failure_code = 'canceled', next_check_at = null,
           updated_at = now()
     where user_id = ${userId} and status = 'open'`);
  await tx.many(sql`delete from auto_reload_set_by where user_id = ${userId}`);
  await tx.many(sql`delete from spend_limit where account_id = ${accountId}`);
  await tx.many(sql`delete from billing_notice where user_id = ${userId}`);
  await tx.many(sql`
    update billing_details
       set name = null, address = null, country = null, tax_id = null, email = null,
           mail_receipts = false, updated_at = now()
     where id = ${accountId}`);
}
