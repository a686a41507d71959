import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { LAST_MONTH, startMonths, THIS_MONTH } from '../../testing/fixtures/billing/months.ts';
import { recordUsage, settleUsage } from '../ledger/usage.ts';

test('the figures of a month: top-ups, refunds, disputes, fees, revenue, balances and net cash', async () => {
  const { db, fake, fixtures, topUp, refund, follow, report } = await startMonths();
  const [one, lost, won] = [await topUp(25), await topUp(100), await topUp(50)];
  await refund(one.id, 5);
  await refund(one.id, 2);
  fake.dispute(lost.intent);
  await follow(lost.id);
  const dispute = fake.dispute(won.intent);
  await follow(won.id);
  fake.closeDispute(dispute.id, 'won');
  await follow(won.id);
  fake.bill(1_000);
  await fixtures.fund({ userId: won.user.id }, '3.00');
  await db.transaction(async (tx) => {
    const { id: accountId } = await tx.one<{ id: string }>(sql`
      select id from billing_account where user_id = ${won.user.id}`);
    const event = { accountId, reference: { type: 'test', id: accountId }, occurredAt: new Date() };
    await recordUsage(tx, [
      { ...event, key: 'a', amount: 1_500_000_000n },
      { ...event, key: 'b', amount: 250_000_123n, kind: 'pod', podSeconds: 60 },
    ]);
  });
  await settleUsage(db);
  const found = await report(THIS_MONTH);
  assert.deepEqual(found.top_ups, { count: 3, gross: '175.00' });
  assert.deepEqual(found.refunds, { count: 2, refunded: '7.00', sent_back: '0.00' });
  assert.deepEqual(found.disputes, { withdrawn: '150.00', reinstated: '50.00' });
  // 2.9 % and 30 cents of each charge, which a refund does not return; 15.00 for each dispute.
  assert.deepEqual(found.fees, {
    charges: '5.98',
    refunds: '0.00',
    chargebacks: '30.00',
    account: '10.00',
    total: '45.98',
  });
  assert.deepEqual(found.revenue, {
    total: '1.75',
    by_kind: [
      { kind: 'model', amount: '1.50' },
      { kind: 'pod', amount: '0.250000123' },
    ],
    carried: '-0.000000123',
  });
  assert.deepEqual(found.liabilities, {
    opening: '0.00',
    opening_debts: '0.00',
    credited: '228.00',
    debited: '158.75',
    closing: '69.25',
    closing_debts: '0.00',
  });
  assert.equal(found.net_cash, '22.02');
  assert.deepEqual(found.tax, {
    documents: 5,
    invoiced: '0.00',
    credited: '0.00',
    total: '0.00',
  });
  assert.deepEqual([found.holds, found.over, found.differences], [true, false, []]);
  const balances = await db.one<{ sum: bigint }>(sql`
    select sum(balance)::bigint as sum from billing_account where kind <> 'system'`);
  assert.equal(balances.sum, 69_250_000n);
});

test('debts apart: what one customer owes is not taken from what others own', async () => {
  const { fake, fixtures, topUp, follow, report } = await startMonths();
  const [spender] = [await topUp(20), await topUp(30)];
  await fixtures.fund({ userId: spender.user.id }, '-15.00');
  fake.dispute(spender.intent);
  await follow(spender.id);
  const { liabilities, holds } = await report(THIS_MONTH);
  assert.deepEqual(
    [liabilities.closing, liabilities.closing_debts, holds],
    ['30.00', '15.00', true],
  );
});

test('a charge at the end of a month that was credited in the next is explained in both', async () => {
  const { fake, topUp, turn, report } = await startMonths();
  turn(new Date(THIS_MONTH.from.getTime() - 1_000));
  const late = await topUp(25);
  turn(THIS_MONTH.from);
  const early = await topUp(40);
  turn(undefined);
  const [before, now] = [await report(LAST_MONTH), await report(THIS_MONTH)];
  const difference = {
    reason: 'other_month',
    explained: true,
    what: 'charge',
    processor: 'stripe',
    top_up_id: late.id,
    top_up_status: 'succeeded',
    intent_id: late.intent,
    processor_ids: [fake.state.balance[0]?.id],
  };
  assert.deepEqual(before.differences, [
    { ...difference, in_ledger: '0.00', at_processor: '25.00' },
  ]);
  assert.deepEqual(now.differences, [{ ...difference, in_ledger: '25.00', at_processor: '0.00' }]);
  assert.deepEqual([before.holds, before.over, before.top_ups.count], [true, true, 0]);
  assert.deepEqual([now.holds, now.top_ups.count], [true, 2]);
  assert.deepEqual([before.net_cash, now.net_cash], ['23.97', '38.54']);
  assert.equal(early.intent.startsWith('pi_'), true);
});

test('balances before a month are those after the month before it', async () => {
  const { fixtures, topUp, forge, report } = await startMonths();
  const { user } = await topUp(25);
  const at = new Date(THIS_MONTH.from.getTime() - 1).toISOString();
  await forge(`update ledger_transfer set created_at = '${at}'`);
  await fixtures.fund({ userId: user.id }, '-10.00');
  const [before, now] = [await report(LAST_MONTH), await report(THIS_MONTH)];
  assert.deepEqual([before.liabilities.opening, before.liabilities.closing], ['0.00', '25.00']);
  assert.deepEqual([now.liabilities.opening, now.liabilities.closing], ['25.00', '15.00']);
  assert.deepEqual([before.top_ups.gross, now.top_ups.gross], ['25.00', '0.00']);
});

test('a month without anything adds up', async () => {
  const { report } = await startMonths();
  const found = await report(LAST_MONTH);
  assert.deepEqual([found.holds, found.over, found.net_cash], [true, true, '0.00']);
  assert.deepEqual([found.movements, found.processors, found.fetched_until], [[], [], undefined]);
});

test('the sandbox has no fees, and its own record is compared', async () => {
  const { db, topUp, refund, report } = await startMonths('sandbox');
  const { id, intent } = await topUp(25);
  await refund(id, 10);
  const found = await report(THIS_MONTH);
  assert.deepEqual(found.processors, [
    {
      name: 'sandbox',
      moves_money: false,
      charges: '25.00',
      refunds: '-10.00',
      disputes: '0.00',
      fees: '0.00',
      net: '15.00',
    },
  ]);
  assert.deepEqual([found.holds, found.differences, found.net_cash], [true, [], '0.00']);
  await db.many(sql`update sandbox_intent set amount = 20000000 where id = ${intent}`);
  const { differences, holds } = await report(THIS_MONTH);
  assert.deepEqual(
    differences.map(({ reason, in_ledger, at_processor }) => [reason, in_ledger, at_processor]),
    [['amount_differs', '25.00', '20.00']],
  );
  assert.equal(holds, false);
});
