import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { switchOffAutoReload } from '../ledger/workspace-account.ts';
import { requestDetach } from './detach-cards.ts';

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
