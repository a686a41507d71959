import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { startFakeStripe } from './server.ts';

/** The balance of the fake, as the real SDK reads it. */

const fake = await startFakeStripe();
after(() => fake.close());
const { hostname: host, port } = new URL(fake.url);
const stripe = new Stripe(fake.secretKey, {
  host,
  port,
  protocol: 'http',
  telemetry: false,
  maxNetworkRetries: 0,
});

async function charge(amount: number): Promise<{ intent: string; charge: string }> {
  const { id } = await stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    metadata: { top_up_id: 'one' },
  });
  const { latest_charge } = await stripe.paymentIntents.confirm(id);
  return { intent: id, charge: latest_charge as string };
}

const all = async (params: Stripe.BalanceTransactionListParams = {}) => {
  const found: Stripe.BalanceTransaction[] = [];
  for await (const each of stripe.balanceTransactions.list(params)) found.push(each);
  return found;
};

test('fees as published: 2.9 % and 30 cents, kept when a charge is refunded, 15.00 for a dispute', async () => {
  const { intent, charge: source } = await charge(10_000);
  const refund = await stripe.refunds.create({ payment_intent: intent, amount: 2_000 });
  fake.failRefund(refund.id);
  const { id } = fake.dispute(intent, { amount: 5_000 });
  fake.closeDispute(id, 'won');
  const rows = (await all()).map((one) => [
    one.type,
    one.reporting_category,
    one.amount,
    one.fee,
    one.net,
    one.source,
  ]);
  assert.deepEqual(rows, [
    ['adjustment', 'dispute_reversal', 5_000, 0, 5_000, id],
    ['adjustment', 'dispute', -5_000, 1_500, -6_500, id],
    ['refund_failure', 'refund_failure', 2_000, 0, 2_000, refund.id],
    ['refund', 'refund', -2_000, 0, -2_000, refund.id],
    ['charge', 'charge', 10_000, 320, 9_680, source],
  ]);
  const [newest] = await all();
  assert.deepEqual(await stripe.balanceTransactions.retrieve(newest?.id ?? ''), newest);
  const dispute = await stripe.disputes.retrieve(id);
  assert.deepEqual(
    dispute.balance_transactions.map(({ amount, fee }) => [amount, fee]),
    [
      [-5_000, 1_500],
      [5_000, 0],
    ],
  );
  const { data } = await stripe.balanceTransactions.list({ source, expand: ['data.source'] });
  const expanded = data[0]?.source as Stripe.Charge;
  assert.deepEqual([expanded.id, expanded.payment_intent], [source, intent]);
  assert.deepEqual(expanded.metadata, { top_up_id: 'one' });
});

test('filters and pages: by time, type, source and payout, newest first', async () => {
  const before = await all();
  fake.state.now = () => Date.now() + 100_000;
  for (let i = 0; i < 25; i++) await charge(1_000 + i);
  fake.state.now = Date.now;
  const since = Math.floor(Date.now() / 1000) + 50;
  const late = await all({ created: { gte: since }, limit: 7 });
  assert.deepEqual(
    late.map(({ amount }) => amount),
    Array.from({ length: 25 }, (_, i) => 1_024 - i),
  );
  assert.deepEqual(await all({ created: { lt: since } }), before);
  assert.equal((await all({ type: 'refund' })).length, 1);
  assert.equal((await all({ currency: 'eur' })).length, 0);
  const page = await stripe.balanceTransactions.list({
    limit: 5,
    ending_before: late[9]?.id ?? '',
  });
  assert.deepEqual([page.data, page.has_more], [late.slice(4, 9), true]);
  const first = fake.payOut();
  assert.equal(
    first.amount,
    -fake.state.balance.slice(0, -1).reduce((sum, { net }) => sum + net, 0),
  );
  await charge(3_000);
  const second = fake.payOut();
  const paid = await all({ payout: second.source });
  assert.deepEqual(
    paid.map(({ type, amount }) => [type, amount]),
    [
      ['payout', -2_883],
      ['charge', 3_000],
    ],
  );
  assert.deepEqual((await all({ payout: first.source })).length, late.length + before.length + 1);
});

test('refused as at Stripe: an unknown payout, parameter, page, or limit', async () => {
  const refused = (params: object) => {
    const listed = stripe.balanceTransactions.list(params as Stripe.BalanceTransactionListParams);
    return assert.rejects(listed, Stripe.errors.StripeInvalidRequestError);
  };
  await refused({ payout: 'po_none' });
  await refused({ colour: 'red' });
  await refused({ limit: 101 });
  await refused({ starting_after: 'txn_none' });
  await refused({ created: { since: 1 } });
  await assert.rejects(stripe.balanceTransactions.retrieve('txn_none'));
});
