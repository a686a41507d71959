import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMonths, THIS_MONTH } from '../../testing/fixtures/billing/months.ts';

type Months = Awaited<ReturnType<typeof startMonths>>;

/** The reasons, amounts and top-ups of what a report finds. */
async function found({ report }: Months) {
  const { differences, holds } = await report(THIS_MONTH);
  return {
    holds,
    differences: differences.map(({ reason, what, top_up_id, in_ledger, at_processor }) => [
      reason,
      what,
      top_up_id,
      in_ledger,
      at_processor,
    ]),
  };
}

test('what Stripe charged and no balance was credited with yet has a name, until it is', async () => {
  const months = await startMonths();
  const { fake, topUp, path, report } = months;
  const open = await topUp(25, { charged: false });
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: 'dropAfter' });
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: 'dropBefore' });
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: 'dropBefore' });
  await path.advance(open.id);
  assert.deepEqual(await found(months), {
    holds: false,
    differences: [['missing_in_ledger', 'charge', open.id, '0.00', '25.00']],
  });
  assert.equal((await report(THIS_MONTH)).differences[0]?.top_up_status, 'processing');
  await path.advance(open.id);
  assert.deepEqual(await found(months), { holds: true, differences: [] });
});

test('a charge for a top-up that no row knows has the id that the charge names', async () => {
  const months = await startMonths();
  const { id } = await months.topUp(25);
  await months.topUp(30);
  await months.forge(`
    delete from invoice where top_up_id = '${id}';
    delete from ledger_transfer where reference_id = '${id}';
    delete from top_up where id = '${id}'`);
  const { differences } = await found(months);
  assert.deepEqual(differences, [['missing_in_ledger', 'charge', id, '0.00', '25.00']]);
});

test('refunds and disputes that no event reported, and a credit that Stripe does not know', async () => {
  const months = await startMonths();
  const { fake, topUp, follow, forge } = months;
  const [disputed, refunded, other] = [await topUp(10), await topUp(20), await topUp(30)];
  fake.dispute(disputed.intent);
  await months.processor.refund(refunded.intent, 7_000_000n, 'by-hand');
  fake.state.balance.splice(
    fake.state.balance.findIndex(({ amount }) => amount === 3_000),
    1,
  );
  const { differences, holds } = await found(months);
  assert.equal(holds, false);
  assert.deepEqual(
    differences.sort((a, b) => Number(a[3]) - Number(b[3]) || Number(b[4]) - Number(a[4])),
    [
      ['missing_in_ledger', 'refund', refunded.id, '0.00', '-7.00'],
      ['missing_in_ledger', 'dispute', disputed.id, '0.00', '-10.00'],
      ['missing_at_processor', 'charge', other.id, '30.00', '0.00'],
    ],
  );
  await follow(disputed.id);
  await follow(refunded.id);
  await forge(`update ledger_transfer set amount = 6000000, balance = balance + 1000000
     where kind = 'refund'`);
  assert.deepEqual(
    (await found(months)).differences.filter(([reason]) => reason !== 'missing_at_processor'),
    [['amount_differs', 'refund', refunded.id, '-6.00', '-7.00']],
  );
});

test('another currency of the account is named, and what other software charged is left out', async () => {
  const months = await startMonths();
  const { fake, topUp, report } = months;
  const { id, user } = await topUp(25);
  for (const one of fake.state.balance) one.currency = 'eur';
  await topUp(30);
  const foreign = await months.processor.create({
    topUpId: 'x',
    accountId: 'x',
    payerAccountId: await months.accountOf(user),
    amount: 9_000_000n,
    token: 'pm_card_visa',
  });
  assert.equal(foreign.kind, 'open');
  const intent = fake.state.intents.get('intentId' in foreign ? (foreign.intentId ?? '') : '');
  Object.assign(intent ?? {}, { metadata: {} });
  await fetch(`${fake.url}/v1/payment_intents/${intent?.id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fake.secretKey}` },
  });
  assert.equal(fake.state.balance.length, 3);
  const { differences, processors } = await report(THIS_MONTH);
  assert.deepEqual(
    differences.map((one) => [one.reason, one.top_up_id]),
    [['other_currency', id]],
  );
  assert.equal(processors[0]?.charges, '30.00');
});

test('a balance that its postings do not explain fails the report', async () => {
  const { topUp, forge, report } = await startMonths();
  await topUp(25);
  await forge('update billing_account set balance = balance + 1 where version > 0');
  const { checks, holds } = await report(THIS_MONTH);
  assert.deepEqual([holds, checks[0]?.holds], [false, false]);
  assert.match(checks[0]?.detail ?? '', /closing 25\.000001; accounts where not: 1$/);
});
