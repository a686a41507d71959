import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Movements, Processor } from '../cards/processor.ts';
import { issueInvoices } from '../invoices/issue.ts';
import { lockAccountOrSuccessor, lockPayingAccount, post } from '../ledger/ledger.ts';
import { endRefund } from './end-refund.ts';
import { settle } from './end-top-up.ts';
import { afterMoneyReturned } from './pause-auto-reload.ts';
import type { TopUp } from './top-up.ts';

const TRIES = 5;

/**
 * Makes the ledger agree with the processor about a top-up: credits a capture, and posts what was
 * refunded since, and what disputes withdrew or gave back. It works from totals, so order,
 * repetition and loss of events do not matter. Returns what it applied; undefined if the processor
 * could not be asked, and then nothing has changed.
 */
export async function synchronize(
  db: Database,
  processor: Processor,
  topUpId: string,
): Promise<Movements | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { processor_id, look } = await db.one<{ processor_id: string | null; look: bigint }>(sql`
      update top_up set look = look + 1 where id = ${topUpId} returning processor_id, look`);
    if (processor_id === null) return undefined;
    const movements = await processor.movements(processor_id);
    if (movements === undefined) return undefined;
    if (await db.transaction((tx) => apply(tx, topUpId, look, movements))) return movements;
  }
  return undefined;
}

// False if another process has begun a newer query in the meantime, whose answer may be more recent
// than this one.
async function apply(
  tx: Tx,
  topUpId: string,
  look: bigint,
  { captured, refunded, refundIds = [], disputes }: Movements,
): Promise<boolean> {
  const topUp = await tx.maybeOne<TopUp & { refunded: bigint }>(sql`
    select * from top_up where id = ${topUpId} and look = ${look} for update`);
  if (topUp === undefined) return false;
  if (captured === 0n) return true;
  await settle(tx, topUpId);
  await postRefunds(tx, topUp, refunded);
  // In the transaction that posts them, so that a refund is never held and debited at the same
  // time.
  await endRefunds(tx, topUp.id, refundIds);
  for (const dispute of disputes) await postDispute(tx, topUp, dispute);
  await tx.many(sql`
    update top_up t
       set refunded = ${refunded}, disputed = d.withdrawn, updated_at = now(),
           status = case when d.withdrawn > 0 then 'disputed' when ${refunded}::bigint >= t.amount
             then 'refunded'
                         when ${refunded}::bigint > 0 then 'partially_refunded' else 'succeeded' end
      from (select coalesce(sum(greatest(withdrawn, 0)), 0)::bigint as withdrawn from dispute
        where top_up_id = ${topUpId}) d
     where t.id = ${topUpId} and (t.refunded, t.disputed) is distinct
       from (${refunded}::bigint, d.withdrawn)`);
  await issueInvoices(tx, topUpId);
  return true;
}

async function postRefunds(
  tx: Tx,
  topUp: TopUp & { refunded: bigint },
  refunded: bigint,
): Promise<void> {
  if (refunded === topUp.refunded) return;
  await postChange(tx, topUp, `topup:${topUp.id}:refund:`, refunded - topUp.refunded, 'refund');
}

async function endRefunds(tx: Tx, topUpId: string, included: readonly string[]): Promise<void> {
  const running = await tx.many<{ id: string }>(sql`
    select id from refund where top_up_id = ${topUpId} and status = 'created'
      and id::text = any(${included}::text[])`);
  for (const { id } of running) await endRefund(tx, id, 'succeeded');
}

async function postDispute(
  tx: Tx,
  topUp: TopUp,
  { id, withdrawn }: Movements['disputes'][number],
): Promise<void> {
  await tx.many(
    sql`insert into dispute (id, top_up_id) values (${id}, ${topUp.id}) on conflict do nothing`,
  );
  const known = await tx.one<{ withdrawn: bigint }>(sql`
    select withdrawn from dispute where id = ${id} for update`);
  if (withdrawn === known.withdrawn) return;
  const rows = await postChange(
    tx,
    topUp,
    `dispute:${id}:`,
    withdrawn - known.withdrawn,
    'dispute',
  );
  await tx.many(sql`
    update dispute set withdrawn = ${withdrawn}, postings = postings + ${rows}, updated_at = now()
      where id = ${id}`);
}

// Never clamped at zero: a debt freezes the account until it is repaid. `series` is the beginning
// of the keys of one dispute's rows, or of all refunds of a top-up. Returns how many rows were
// posted.
async function postChange(
  tx: Tx,
  topUp: TopUp,
  series: string,
  taken: bigint,
  kind: 'refund' | 'dispute',
): Promise<number> {
  const { rows, ...payer } = await tx.one<{ id: string; paid: bigint; rows: number }>(sql`
    select a.id, count(l.id)::int as rows,
           coalesce(sum(case when l.account_id = l.debit_account_id then l.amount
             else -l.amount end)
                    filter (where l.account_id = a.id), 0)::bigint as paid
      from billing_account a
      left join ledger_transfer l on l.reference_id = ${topUp.id}
        and starts_with(l.idempotency_key, ${series})
     where a.user_id = ${topUp.user_id} group by a.id`);
  const parts: Part[] =
    taken > 0n
      ? [{ accountId: (await lockPayingAccount(tx, topUp)).id, amount: taken }]
      : await givenBack(tx, topUp, payer, -taken);
  for (const [i, { accountId, amount }] of parts.entries()) {
    await post(tx, {
      key: `${series}${rows + i + 1}`,
      kind: taken > 0n ? kind : `${kind}_reversal`,
      accountId,
      side: taken > 0n ? 'debit' : 'credit',
      counterpart: kind === 'refund' ? 'processor_clearing' : 'disputes',
      amount,
      reference: { type: 'top_up', id: topUp.id },
    });
    if (taken > 0n)
      await afterMoneyReturned(
        tx,
        accountId,
        kind === 'refund' ? 'refunded' : 'disputed',
        topUp.request_id,
      );
  }
  return parts.length;
}

interface Part {
  accountId: string;
  amount: bigint;
}

// The money goes back where it was taken from: first what the payer's own account paid after a
// workspace was deleted, then what the account of the top-up, now its successor's, had paid before.
async function givenBack(
  tx: Tx,
  topUp: TopUp,
  payer: { id: string; paid: bigint },
  amount: bigint,
): Promise<Part[]> {
  const standing = await lockAccountOrSuccessor(tx, topUp.account_id);
  const toPayer = payer.paid < amount ? payer.paid : amount;
  if (toPayer <= 0n || standing.id === payer.id) return [{ accountId: standing.id, amount }];
  const parts = [
    { accountId: payer.id, amount: toPayer },
    { accountId: standing.id, amount: amount - toPayer },
  ];
  return parts.filter((part) => part.amount > 0n);
}
