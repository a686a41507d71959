import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import type { FakeStripe } from '../server/testing/fakes/fake-stripe/fake.ts';

/**
 * Compares every top-up with the processor's record of it, and every client key with its captures;
 * micro-USD.
 */
export async function compare(db: Database, fake: FakeStripe) {
  const rows = await db.many<{ id: string; status: string; posted: bigint }>(sql`
    select t.id, t.status, coalesce(sum(l.balance - l.previous_balance), 0)::bigint as posted
      from top_up t left join ledger_transfer l on l.reference_id = t.id group by t.id`);
  let [lost, doubled] = [0n, 0n];
  for (const { id, posted } of rows) {
    const difference = fake.net(id) - posted;
    if (difference > 0n) lost += difference;
    else doubled -= difference;
    if (fake.movements.filter((one) => one.topUpId === id && one.kind === 'capture').length > 1)
      doubled += fake.captured(id) / 2n;
  }
  const known = new Set(rows.map(({ id }) => id));
  for (const one of fake.movements)
    if (one.topUpId === undefined || !known.has(one.topUpId)) lost += one.amount;
  const open = rows.filter(({ status }) => status === 'created' || status === 'processing').length;
  return { lost, doubled, open, topUps: rows.length };
}

/**
 * Invoices against what the processor captured and refunded: without the tables that issuing uses.
 * All but `invoices`, `notes` and `receipts` must be zero.
 */
export async function compareInvoices(db: Database, fake: FakeStripe) {
  const documents = await db.many<{ top_up_id: string; kind: string; total: bigint }>(sql`
    select top_up_id, kind, total from invoice`);
  const numbers = await db.many<{ missing: bigint; doubled: bigint; unordered: bigint }>(sql`
    select max(sequence) - count(distinct sequence) as missing,
           count(*) - count(distinct number) as doubled,
           count(*) filter (where early) as unordered
      from (select prefix, year, sequence, number,
                   issued_at < lag(issued_at) over (partition by prefix, year order by sequence)
                     as early
              from invoice) i
     group by prefix, year`);
  const { receipts, twice } = await db.one<{ receipts: bigint; twice: bigint }>(sql`
    select count(*) as receipts, count(*) - count(distinct subject_id) as twice
      from mail where kind = 'receipt'`);
  const sumOf = (topUpId: string, kind: string) =>
    documents
      .filter((one) => one.top_up_id === topUpId && one.kind === kind)
      .reduce((sum, { total }) => sum + total, 0n);
  const moved = (topUpId: string, kind: string) =>
    fake.movements
      .filter((one) => one.topUpId === topUpId && one.kind === kind)
      .reduce((sum, { amount }) => sum + amount, 0n);
  const topUps = new Set(fake.movements.map(({ topUpId }) => topUpId as string));
  const wrong = [...topUps].filter(
    (id) =>
      sumOf(id, 'invoice') !== moved(id, 'capture') ||
      sumOf(id, 'credit_note') - sumOf(id, 'debit_note') !==
        moved(id, 'refund') - moved(id, 'refund_failed'),
  );
  const total = (name: 'missing' | 'doubled' | 'unordered') =>
    numbers.reduce((sum, row) => sum + Number(row[name]), 0);
  return {
    invoices: documents.filter(({ kind }) => kind === 'invoice').length,
    notes: documents.filter(({ kind }) => kind !== 'invoice').length,
    receipts: Number(receipts),
    top_ups_with_wrong_invoices: wrong.length,
    numbers_missing: total('missing'),
    numbers_doubled: total('doubled'),
    numbers_out_of_order: total('unordered'),
    receipts_doubled: Number(twice),
  };
}
