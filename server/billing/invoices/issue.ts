import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { queueReceipts } from './receipts.ts';

/**
 * Issues what the postings of a top-up need: an invoice for its credit, a credit note for each
 * refund, and a debit note for each refund that failed after it was posted. What they have already
 * is not issued again. The same statement queues the mails to accounts that want receipts.
 *
 * Lock the top-up first, and call it last in the transaction that posted: it locks the counter of
 * numbers until the end, so whatever locks more afterwards could deadlock.
 *
 * Notes repeat what the invoice says. Their tax is the change of the tax of everything that was
 * refunded, so that the notes of a full refund have exactly the tax of the invoice.
 */
export async function issueInvoices(tx: Tx, topUpId: string): Promise<void> {
  await tx.many(sql`
    with due as (
      delete from invoice_due where top_up_id = ${topUpId} returning transfer_key, mails_receipt),
    written as (${writeInvoices} returning id, account_id, top_up_id, transfer_key),
    issued as (
      select written.*, due.mails_receipt from written join due using (transfer_key))
    ${queueReceipts}`);
}

// Micro-USD of the top-up that were refunded before the posting.
const refundedBefore = sql`
  select coalesce(sum(case e.kind when 'refund' then e.amount else -e.amount end), 0)::bigint
         as refunded
    from ledger_transfer e
   where e.reference_id = t.id and e.kind in ('refund', 'refund_reversal')
     and (e.created_at, e.id) < (l.created_at, l.id)`;

// What is printed: of a note that of the invoice, otherwise what holds now. Who gives a tax id of
// another country owes the tax there.
const copies = sql`
  select tax_rate, tax_name, tax_note,
         customer_name, customer_address, customer_country, customer_tax_id, customer_email,
         issuer_name, issuer_address, issuer_country, issuer_tax_id
    from invoice i
   where i.top_up_id = t.id and i.kind = 'invoice'
  union all
  select case when liable.abroad then 0 else liable.rate end, s.tax_name,
         case when liable.abroad then s.reverse_charge_note end,
         coalesce(d.name, o.name, u.name, u.email), coalesce(d.address, '{}'), d.country, d.tax_id,
         coalesce(d.email, payer.email),
         s.name, s.address, s.country, s.tax_id
    from billing_account a
    join billing_details d on d.id = a.id
    left join app_user u on u.id = a.user_id
    left join organization o on o.id = a.organization_id
    join app_user payer on payer.id = t.user_id
   cross join lateral (
     select rate, rate > 0 and d.tax_id is not null and d.country <> s.country as abroad
       from (values (coalesce(s.tax_rates ->> d.country, s.tax_rates ->> '*', '0')::numeric)) r (rate)
     ) liable
   where a.id = l.account_id
   limit 1`;

// Writes what `due` names, in the order of the postings.
const writeInvoices = sql`
  insert into invoice (
    kind, prefix, account_id, top_up_id, transfer_key, charged_at,
    total, tax, tax_rate, tax_name, tax_note,
    customer_name, customer_address, customer_country, customer_tax_id, customer_email,
    issuer_name, issuer_address, issuer_country, issuer_tax_id,
    card_brand, card_last4, processor)
  select case l.kind when 'top_up' then 'invoice' when 'refund' then 'credit_note'
                     else 'debit_note' end,
         s.prefix, l.account_id, t.id, l.idempotency_key, l.created_at,
         l.amount,
         case l.kind when 'top_up' then tax_within(l.amount, c.tax_rate)
                     when 'refund' then tax_within(r.refunded + l.amount, c.tax_rate)
                                        - tax_within(r.refunded, c.tax_rate)
                     else tax_within(r.refunded, c.tax_rate)
                          - tax_within(r.refunded - l.amount, c.tax_rate) end,
         c.tax_rate, c.tax_name, c.tax_note,
         c.customer_name, c.customer_address, c.customer_country, c.customer_tax_id,
         c.customer_email,
         c.issuer_name, c.issuer_address, c.issuer_country, c.issuer_tax_id,
         p.brand, p.last4, t.processor
    from due
    join ledger_transfer l on l.idempotency_key = due.transfer_key
    join top_up t on t.id = l.reference_id
    join payment_method p on p.id = t.payment_method_id
    cross join lateral (select * from invoice_issuer order by id desc limit 1) s
    cross join lateral (${refundedBefore}) r
    cross join lateral (${copies}) c
   order by l.created_at, l.id`;

/**
 * Issues what is due and has not been issued in the transaction of its posting, such as for
 * top-ups of an earlier release, in the order of the postings; safe in any number of processes.
 * Returns for how many top-ups.
 */
export async function issueDue(db: Database): Promise<number> {
  const due = await db.many<{ top_up_id: string }>(sql`
    select d.top_up_id
      from invoice_due d
      join ledger_transfer l on l.idempotency_key = d.transfer_key
      join top_up t on t.id = d.top_up_id
     group by d.top_up_id order by min(l.created_at), d.top_up_id limit 500`);
  for (const { top_up_id } of due)
    await db.transaction(async (tx) => {
      await tx.many(sql`select id from top_up where id = ${top_up_id} for update`);
      await issueInvoices(tx, top_up_id);
    });
  return due.length;
}
