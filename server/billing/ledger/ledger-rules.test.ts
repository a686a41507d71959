import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startPayers } from '../../testing/fixtures/billing/payer.ts';

const { db, unchanged, owner: asOwner, payer } = await startPayers();

test('the ledger refuses changes, forks, unexplained balances and a second credit, from anybody', async () => {
  const { user, add } = await payer();
  const { top_up_id } = (await add(25)).body;
  const account = (
    await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)
  ).id;
  const changes = [
    sql`update ledger_transfer set amount = 1 where account_id = ${account}`,
    sql`delete from ledger_transfer where account_id = ${account}`,
    sql`truncate ledger_transfer cascade`,
    sql`update billing_account set balance = balance + 1 where id = ${account}`,
    sql`update billing_account set version = version + 1 where id = ${account}`,
    sql`update top_up set status = 'failed', failure_code = 'x' where id = ${top_up_id}`,
    sql`insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
      amount, account_id,
                                     reference_type, reference_id)
        select idempotency_key, kind, debit_account_id, credit_account_id, amount, account_id,
          reference_type, reference_id
          from ledger_transfer where account_id = ${account}`,
  ];
  for (const change of changes) {
    await unchanged(async () => {
      await assert.rejects(db.many(change));
      await assert.rejects(asOwner(change));
    });
  }
});

test('whatever version or balance a row claims, it gets the next ones and moves the account', async () => {
  const { user } = await payer();
  const account = (
    await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)
  ).id;
  await db.many(sql`
    insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
      amount, account_id, version,
                                 previous_balance, balance, reference_type, reference_id)
    values (${`claim:${account}`}, 'promotion', '00000000-0000-4000-9000-000000000005', ${account},
      7, ${account}, 99,
            1000, 1007, 'test', ${account})`);
  assert.deepEqual(
    await db.many(sql`select l.version, l.previous_balance, l.balance, a.version as v,
      a.balance as b
                        from ledger_transfer l join billing_account a on a.id = l.account_id
                          where a.id = ${account}`),
    [{ version: 1n, previous_balance: 0n, balance: 7n, v: 1n, b: 7n }],
  );
});
