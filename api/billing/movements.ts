import type { Database, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Movements, Processor } from './cards/processor.ts';
import { lockStandingAccount, post } from './ledger.ts';
import { settle, type TopUp } from './top-ups.ts';

const TRIES = 5;

/**
 * Makes the ledger say of a top-up what the processor says: credits a capture, posts what was refunded since, and what a
 * dispute took or gave back. It works from totals, so that order, repetition and loss of events do not matter.
 * False when the processor could not tell; then nothing changed.
 */
export async function synchronize(db: Database, processor: Processor, topUpId: string): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { processor_id, look } = await db.one<{ processor_id: string | null; look: bigint }>(sql`
      update top_up set look = look + 1 where id = ${topUpId} returning processor_id, look`);
    if (processor_id === null) return false;
    const movements = await processor.movements(processor_id);
    if (movements === undefined) return false;
    if (await db.transaction((tx) => apply(tx, topUpId, look, movements))) return true;
  }
  return false;
}

// False when somebody began a newer look meanwhile: this one may be older than what that one finds.
async function apply(
  tx: Tx,
  topUpId: string,
  look: bigint,
  { captured, refunded, disputes }: Movements,
): Promise<boolean> {
  const topUp = await tx.maybeOne<TopUp & { refunded: bigint }>(sql`
    select * from top_up where id = ${topUpId} and look = ${look} for update`);
  if (topUp === undefined) return false;
  if (captured === 0n) return true;
  await settle(tx, topUpId);
  await postRefunds(tx, topUp, refunded);
  for (const dispute of disputes) await postDispute(tx, topUp, dispute);
  await tx.many(sql`
    update top_up t
       set refunded = ${refunded}, disputed = d.withdrawn, updated_at = now(),
           status = case when d.withdrawn > 0 then 'disputed' when ${refunded}::bigint >= t.amount then 'refunded'
                         when ${refunded}::bigint > 0 then 'partially_refunded' else 'succeeded' end
      from (select coalesce(sum(greatest(withdrawn, 0)), 0)::bigint as withdrawn from dispute where top_up_id = ${topUpId}) d
     where t.id = ${topUpId} and (t.refunded, t.disputed) is distinct from (${refunded}::bigint, d.withdrawn)`);
  return true;
}

async function postRefunds(tx: Tx, topUp: TopUp & { refunded: bigint }, refunded: bigint): Promise<void> {
  if (refunded === topUp.refunded) return;
  const { count } = await tx.one<{ count: bigint }>(sql`
    select count(*) from ledger_transfer where reference_id = ${topUp.id} and kind in ('refund', 'refund_reversal')`);
  await follow(tx, topUp, `topup:${topUp.id}:refund:${count + 1n}`, refunded - topUp.refunded, 'refund');
}

async function postDispute(
  tx: Tx,
  topUp: TopUp,
  { id, withdrawn }: Movements['disputes'][number],
): Promise<void> {
  await tx.many(sql`insert into dispute (id, top_up_id) values (${id}, ${topUp.id}) on conflict do nothing`);
  const known = await tx.one<{ withdrawn: bigint; postings: number }>(sql`
    select withdrawn, postings from dispute where id = ${id} for update`);
  if (withdrawn === known.withdrawn) return;
  await follow(tx, topUp, `dispute:${id}:${known.postings + 1}`, withdrawn - known.withdrawn, 'dispute');
  await tx.many(sql`
    update dispute set withdrawn = ${withdrawn}, postings = postings + 1, updated_at = now() where id = ${id}`);
}

// Never clamped at zero: a debt is a debt, and freezes the account until it is repaid.
async function follow(
  tx: Tx,
  topUp: TopUp,
  key: string,
  taken: bigint,
  kind: 'refund' | 'dispute',
): Promise<void> {
  const account = await lockStandingAccount(tx, topUp.account_id);
  await post(tx, {
    key,
    kind: taken > 0n ? kind : `${kind}_reversal`,
    accountId: account.id,
    side: taken > 0n ? 'debit' : 'credit',
    counterpart: kind === 'refund' ? 'processor_clearing' : 'disputes',
    amount: taken > 0n ? taken : -taken,
    reference: { type: 'top_up', id: topUp.id },
  });
}
