import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import type { FaultKind } from '../../testing/fakes/fake-stripe/faults.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import type { Processor } from './processor.ts';
import { sandbox } from './sandbox.ts';
import { stripeProcessor } from './stripe.ts';

const fake = await startFakeStripe();
const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
after(async () => {
  await fake.close();
  await db.close();
  await clone.drop();
});
const customers = {
  get: async () => undefined,
  put: async (_: string, id: string) => id,
  forget: async () => {},
};
const stripe = stripeProcessor({
  secretKey: fake.secretKey,
  apiBase: fake.url,
  customers,
});
const MAKE = 'POST /v1/refunds';
const LIST = 'GET /v1/refunds';
const usd = (amount: number) => BigInt(amount) * 1_000_000n;
const REFUNDED = { kind: 'refunded' };

/** A captured charge of 25 USD. */
async function captured(processor: Processor): Promise<string> {
  const [topUpId, accountId] = [randomUUID(), randomUUID()];
  const charge = {
    topUpId,
    accountId,
    payerAccountId: accountId,
    amount: usd(25),
    token: 'pm_card_visa',
  };
  const created = await processor.create(charge);
  assert.equal(created.kind, 'open');
  assert.equal((await processor.confirm(created.intentId, charge)).kind, 'succeeded');
  return created.intentId;
}

const refundsOf = (intentId: string) =>
  fake.movements.filter((one) => one.intentId === intentId && one.kind === 'refund').length;

const lost: Record<string, [FaultKind, number][]> = {
  'an error page that Stripe keeps': [['500saved', 1]],
  'an answer that is lost, and repeats that never arrive': [
    ['dropAfter', 1],
    ['dropBefore', 2],
  ],
};
for (const [how, faults] of Object.entries(lost)) {
  for (const amount of [10, 25]) {
    test(`a refund of ${amount} of 25 that ended in ${how} is paid once, also days later`, async () => {
      const [intentId, id] = [await captured(stripe), randomUUID()];
      for (const [kind, times] of faults) fake.fault({ match: MAKE, kind, times });
      assert.equal((await stripe.refund(intentId, usd(amount), id)).kind, 'unknown');
      fake.forgetKeys();
      assert.deepEqual(await stripe.refund(intentId, usd(amount), id), REFUNDED);
      assert.deepEqual(await stripe.refund(intentId, usd(amount), id), REFUNDED);
      assert.equal(refundsOf(intentId), 1);
      assert.equal((await stripe.movements(intentId))?.refunded, usd(amount));
    });
  }
}

test('one that certainly never arrived is sent again; other refunds of the charge are not taken for it', async () => {
  const [intentId, id] = [await captured(stripe), randomUUID()];
  assert.deepEqual(await stripe.refund(intentId, usd(10), randomUUID()), REFUNDED);
  fake.fault({ match: MAKE, kind: 'dropBefore', times: 3 });
  assert.equal((await stripe.refund(intentId, usd(10), id)).kind, 'unknown');
  fake.forgetKeys();
  assert.deepEqual(await stripe.refund(intentId, usd(10), id), REFUNDED);
  assert.equal(refundsOf(intentId), 2);
});

test('while the refunds cannot be listed nothing is sent, and nothing is refused', async () => {
  const [intentId, id] = [await captured(stripe), randomUUID()];
  fake.fault({ match: LIST, kind: 'dropBefore', times: 3 });
  const before = fake.requests.length;
  assert.equal((await stripe.refund(intentId, usd(25), id)).kind, 'unknown');
  assert.ok(fake.requests.slice(before).every(({ method }) => method === 'GET'));
  // The same after a refusal that may be of our own refund, sent by another process.
  await stripe.refund(intentId, usd(25), randomUUID());
  const seen = fake.requests.length;
  const asked = stripe.refund(intentId, usd(1), id);
  while (!fake.requests.slice(seen).some(({ path }) => path === '/v1/refunds'))
    await new Promise(setImmediate);
  fake.fault({ match: LIST, kind: 'dropBefore', times: 3 });
  assert.equal((await asked).kind, 'unknown');
});

test('race: many processes that send one refund pay it once, and none calls it refused', async () => {
  const [intentId, id] = [await captured(stripe), randomUUID()];
  const first = await Promise.all(
    Array.from({ length: 6 }, () => stripe.refund(intentId, usd(25), id)),
  );
  assert.ok(first.every(({ kind }) => kind !== 'refused'));
  fake.forgetKeys();
  const later = await Promise.all(
    Array.from({ length: 6 }, () => stripe.refund(intentId, usd(25), id)),
  );
  assert.deepEqual(new Set(later.map(({ kind }) => kind)), new Set(['refunded']));
  assert.equal(refundsOf(intentId), 1);
});

test('the message says why Stripe refused', async () => {
  const intentId = await captured(stripe);
  const why = async (amount: number) => {
    const outcome = await stripe.refund(intentId, usd(amount), randomUUID());
    return outcome.kind === 'refused' ? outcome.reason : outcome.kind;
  };
  assert.equal(await why(26), 'it is more than what is left of this charge');
  assert.equal(await why(25), 'refunded');
  assert.equal(await why(1), 'everything of this charge was refunded before');
  const disputed = await captured(stripe);
  fake.dispute(disputed);
  const outcome = await stripe.refund(disputed, usd(1), randomUUID());
  assert.deepEqual(outcome, { kind: 'refused', reason: 'the cardholder disputes this charge' });
});

test('a refund that the bank sent back is no refund, and is not sent again', async () => {
  const [intentId, id] = [await captured(stripe), randomUUID()];
  await stripe.refund(intentId, usd(10), id);
  const made = [...fake.state.refunds.values()].find(
    ({ payment_intent }) => payment_intent === intentId,
  );
  fake.failRefund(made?.id as string);
  fake.forgetKeys();
  const reason = 'lost or stolen card';
  assert.deepEqual(await stripe.refund(intentId, usd(10), id), { kind: 'refused', reason });
  assert.equal(refundsOf(intentId), 1);
});

test('sandbox, race: one refund asked many times is made once and never refused; two are never more than the charge', async () => {
  const processor = sandbox(db);
  for (let round = 0; round < 5; round++) {
    const [intentId, id] = [await captured(processor), randomUUID()];
    const same = await Promise.all(
      Array.from({ length: 6 }, () => processor.refund(intentId, usd(20), id)),
    );
    assert.deepEqual(new Set(same.map(({ kind }) => kind)), new Set(['refunded']));
    const rest = await Promise.all(
      Array.from({ length: 6 }, () => processor.refund(intentId, usd(5), randomUUID())),
    );
    assert.equal(rest.filter(({ kind }) => kind === 'refunded').length, 1);
    assert.deepEqual(
      await db.many(
        sql`select count(*), sum(amount)::bigint from sandbox_refund where intent_id = ${intentId}`,
      ),
      [{ count: 2n, sum: usd(25) }],
    );
  }
});
