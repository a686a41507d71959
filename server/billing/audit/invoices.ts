import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/** Invoices and notes against the postings that they are for, and their numbers. */
export const auditInvoices = async (tx: Tx): Promise<LedgerViolation[]> => [
  ...(await postingsAgainstInvoices(tx)),
  ...(await numbers(tx)),
  ...(await amounts(tx)),
];

// Each posting has one document of its kind and amount. What an earlier release posted is due for a
// while.
async function postingsAgainstInvoices(tx: Tx): Promise<LedgerViolation[]> {
  const postings = await tx.many<{ top_up_id: string; kind: string; found: string }>(sql`
    select l.reference_id as top_up_id, l.kind,
           case when i.id is null then 'none'
                else concat_ws(' ', i.number, 'of kind', i.kind) end as found
      from ledger_transfer l
      join top_up t on t.id = l.reference_id
      left join invoice i on i.transfer_key = l.idempotency_key
     where l.kind in ('top_up', 'refund', 'refund_reversal')
       and (i.id is null or i.top_up_id <> l.reference_id or i.account_id <> l.account_id
            or i.total <> l.amount
            or i.kind <> case l.kind when 'top_up' then 'invoice' when 'refund' then 'credit_note'
                                     else 'debit_note' end)
       and not exists (
         select from invoice_due d
          where i.id is null and d.transfer_key = l.idempotency_key
            and d.created_at > now() - interval '1 hour')
     order by l.created_at limit ${MOST}`);
  return postings.map(({ top_up_id: topUpId, kind, found }) => ({
    rule: 'one_invoice_a_posting',
    topUpId,
    detail: `the posting of kind ${kind} has as its invoice or note: ${found}`,
  }));
}

async function numbers(tx: Tx): Promise<LedgerViolation[]> {
  const series = await tx.many<{ name: string; invoices: bigint; first: bigint; last: bigint }>(sql`
    select concat(prefix, year) as name, coalesce(i.invoices, 0) as invoices,
           coalesce(i.first, 0) as first, coalesce(c.last, 0) as last
      from (select prefix, year, count(*) as invoices, min(sequence) as first,
                   max(sequence) as highest
              from invoice group by prefix, year) i
      full join invoice_counter c using (prefix, year)
     where (i.invoices, i.first, i.highest) is distinct from (c.last, 1::bigint, c.last)
       and not (i.invoices is null and c.last = 0)
     order by 1 limit ${MOST}`);
  return series.map(({ name, invoices, first, last }) => ({
    rule: 'invoice_numbers_without_gaps',
    detail: `the series ${name} has ${invoices} invoices from ${first}, and its last number is ${last}`,
  }));
}

// The notes of a top-up never take back more than its invoice, nor more of the tax.
async function amounts(tx: Tx): Promise<LedgerViolation[]> {
  const topUps = await tx.many<{ top_up_id: string; number: string }>(sql`
    select top_up_id, max(number) filter (where kind = 'invoice') as number
      from invoice
     group by top_up_id
    having sum(case kind when 'credit_note' then -total else total end) < 0
        or sum(case kind when 'credit_note' then -tax else tax end) < 0
     order by 1 limit ${MOST}`);
  return topUps.map(({ top_up_id: topUpId, number }) => ({
    rule: 'notes_within_invoice',
    topUpId,
    detail: `the credit notes exceed the invoice ${number}`,
  }));
}
