import { randomUUID } from 'node:crypto';
import { issueInvoices } from '../billing/invoices/issue.ts';
import { post } from '../billing/ledger/ledger.ts';
import type { Database, Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/** `amount` in micro-USD. Without `issue`, it gets no invoice yet. */
interface SucceededTopUp {
  userId: string;
  card: string;
  organizationId?: string;
  amount?: bigint;
  issue?: boolean;
}

/** A top-up with its credit and its invoice, as if the card processor had captured it. */
export const succeededTopUp = (db: Database, topUp: SucceededTopUp) =>
  db.transaction((tx) => succeedTopUp(tx, topUp));

/** The same in a transaction. */
export async function succeedTopUp(
  tx: Tx,
  { userId, card, organizationId, amount = 10_000n, issue = true }: SucceededTopUp,
): Promise<{ topUpId: string; invoiceId: string }> {
  const { id, account_id } = await tx.one<{ id: string; account_id: string }>(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, status,
                        processor, processor_id, next_check_at)
    select id, ${userId}, 'test', ${card}, ${amount}, 'succeeded', 'sandbox',
           ${`pi_${randomUUID()}`}, null
      from billing_account
     where ${
       organizationId === undefined
         ? sql`user_id = ${userId}`
         : sql`organization_id = ${organizationId}`
     }
    returning id, account_id`);
  await post(tx, {
    key: `topup:${id}:credit`,
    kind: 'top_up',
    accountId: account_id,
    side: 'credit',
    counterpart: 'processor_clearing',
    amount,
    reference: { type: 'top_up', id },
  });
  if (issue) await issueInvoices(tx, id);
  const issued = await tx.maybeOne<{ id: string }>(sql`
    select id from invoice where top_up_id = ${id}`);
  return { topUpId: id, invoiceId: issued?.id ?? '' };
}
