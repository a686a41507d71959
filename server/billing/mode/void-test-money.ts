import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { endTaskHolds } from '../ledger/end-holds.ts';
import { post } from '../ledger/ledger.ts';
import { settleAccount } from '../ledger/usage.ts';
import { endRefund } from '../top-ups/end-refund.ts';
import { TEST_MONEY_ENDED } from '../top-ups/top-up.ts';

const BATCH = 500;

/**
 * Voids what test cards have paid, once an installation has left test money: open top-ups fail, test
 * cards are removed, what was used is charged to the test money that it was used with, and the rest
 * of each balance goes to a system account; debts are forgiven the same way. Each account is one
 * transaction, which repeats that this is not done yet: any number of processes may do it at once
 * and be killed, and none takes what was added later.
 */
export async function voidTestMoney(db: Database): Promise<void> {
  await db.transaction(endOpenTopUps);
  // Closed ones first, because the accounts in their place pay what they still owe.
  for (const closed of [true, false])
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const accounts = await db.many<{ id: string }>(sql`
        select a.id from billing_account a
         where a.kind <> 'system' and (a.status = 'closed') = ${closed} and a.id > ${after}
           and (a.balance <> 0 or a.held > 0
                or exists (select from usage_event e
                            where e.account_id = a.id and e.settlement_id is null and e.charged))
         order by a.id limit ${BATCH}`);
      for (const { id } of accounts) {
        after = id;
        await db.transaction((tx) => voidAccount(tx, id));
      }
      if (accounts.length < BATCH) break;
    }
  await db.many(sql`
    update billing_mode set voided_at = clock_timestamp() where not test_money and voided_at is null`);
}

/** The change that is not finished; undefined once it is. Nothing finishes it meanwhile. */
const unfinished = (tx: Tx) =>
  tx.maybeOne<{ void_id: string; mixed: boolean }>(sql`
    select void_id, real_since = '-infinity' as mixed
      from billing_mode where not test_money and voided_at is null for share`);

async function endOpenTopUps(tx: Tx): Promise<void> {
  const change = await unfinished(tx);
  if (change === undefined) return;
  const ended = await tx.many<{ id: string }>(sql`
    select t.id from top_up t, billing_mode m
     where (t.processor = 'sandbox' or t.created_at < m.real_since)
       and (t.status in ('created', 'processing')
            or exists (select from refund where top_up_id = t.id and status = 'created'))
     order by t.id for update of t`);
  const ids = ended.map(({ id }) => id);
  const refunds = await tx.many<{ id: string }>(sql`
    select id from refund where top_up_id = any(${ids}::uuid[]) and status = 'created' order by id`);
  for (const { id } of refunds) await endRefund(tx, id, 'failed', 'test money has ended');
  await tx.many(sql`
    with failed as (
      update top_up
         set status = 'failed', failure_code = ${TEST_MONEY_ENDED}, next_check_at = null,
             updated_at = now()
       where id = any(${ids}::uuid[]) and status in ('created', 'processing')),
    cards as (
      update payment_method set detached_at = now()
       where token like 'pm\\_card\\_%' and detached_at is null returning id)
    update auto_reload r
       set enabled = false,
           updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
      from cards where r.payment_method_id = cards.id and r.enabled`);
}

async function voidAccount(tx: Tx, accountId: string): Promise<void> {
  const change = await unfinished(tx);
  if (change === undefined) return;
  await endTaskHolds(tx, sql`select ${accountId}::uuid`);
  const { status, balance } = await tx.one<{ status: string; balance: bigint }>(sql`
    select status, balance from billing_account where id = ${accountId} for update`);
  let settled = balance;
  for (;;) {
    const settlement = await settleAccount(tx, accountId);
    if (settlement === undefined) break;
    settled -= settlement.micro;
  }
  if (status === 'closed') return;
  const amount = change.mixed ? await testPart(tx, accountId, settled) : settled;
  if (amount === 0n) return;
  await post(tx, {
    key: `void:${accountId}:${change.void_id}`,
    kind: 'void',
    accountId,
    side: amount > 0n ? 'debit' : 'credit',
    counterpart: 'test_money',
    amount: amount > 0n ? amount : -amount,
    reference: { type: 'audit_event', id: change.void_id },
  });
}

/**
 * Of a balance that an older version let test cards and then Stripe pay: what was there before
 * Stripe charged its first card, less all that was taken since.
 */
const testPart = async (tx: Tx, accountId: string, balance: bigint): Promise<bigint> =>
  (
    await tx.one<{ part: bigint }>(sql`
      select greatest(0, least(${balance}::bigint,
               coalesce((select l.balance from ledger_transfer l
                          where l.account_id = ${accountId} and l.created_at < first.at
                          order by l.version desc limit 1), 0)
               - coalesce((select sum(l.amount) from ledger_transfer l
                            where l.debit_account_id = ${accountId}
                              and l.created_at >= first.at), 0)))::bigint as part
        from (select min(created_at) as at from top_up where processor = 'stripe') first`)
  ).part;
