import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openLog } from '../../telemetry/log.ts';
import type { FakeStripe } from '../../testing/fakes/fake-stripe/fake.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { topUps } from '../top-ups/top-ups.ts';
import { customerStore } from './customers.ts';
import type { Processor } from './processor.ts';
import { stripeProcessor } from './stripe.ts';

// The Stripe account of the configuration changes in the middle: another key, or a fake that
// was started again.
let fake = await startFakeStripe();
const fakes = [fake];
after(() => Promise.all(fakes.map((each) => each.close())));

const { fixtures, request, db, log } = await startHarness({
  processor: (database) => {
    const made = new Map<FakeStripe, Processor>();
    const now = (): Processor => {
      const access = { secretKey: fake.secretKey, apiBase: fake.url };
      const stripe =
        made.get(fake) ?? stripeProcessor({ ...access, customers: customerStore(database) });
      made.set(fake, stripe);
      return stripe;
    };
    return new Proxy({} as Processor, { get: (_, name) => now()[name as keyof Processor] });
  },
});

const switchAccount = async () => {
  fake = await startFakeStripe();
  fakes.push(fake);
};

async function payer() {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const add = (headers: Record<string, string> = {}, amount = 25) =>
    request('POST', '/api/billing/add-funds', {
      key: user.key,
      body: { amount, payment_method_id: card },
      headers,
    });
  const customer = async () =>
    (
      await db.one<{ id: string | null }>(
        sql`select customer_id as id from billing_account where user_id = ${user.id}`,
      )
    ).id;
  return { user, add, customer };
}

test('after a switch of the account the payer gets a new customer there, and the charge succeeds at once', async () => {
  const { user, add, customer } = await payer();
  assert.equal((await add()).status, 200);
  const first = await customer();
  await switchAccount();
  const replies = await Promise.all([1, 2, 3].map((n) => add({}, 25 + n)));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.notEqual(await customer(), first);
  assert.equal(await fixtures.balance({ userId: user.id }), 106_000_000n);
  for (const { body } of replies)
    assert.equal(fake.captured(body.top_up_id), BigInt(body.amount_charged) * 1_000_000n);
});

test('a customer that was deleted in the same account is replaced too, though Stripe remembers our keys', async () => {
  const { add, customer } = await payer();
  assert.equal((await add()).status, 200);
  for (let round = 0; round < 3; round++) {
    fake.state.customers.delete((await customer()) as string);
    assert.equal((await add()).status, 200);
  }
});

test('a top-up whose creation is repeated after the switch makes one intent and one charge', async () => {
  const { add } = await payer();
  await add();
  await switchAccount();
  fake.fault({ match: 'POST /v1/payment_intents', kind: 'truncate', times: 2 });
  const headers = { 'idempotency-key': 'one' };
  const replies = [await add(headers), await add(headers), await add(headers)];
  assert.equal(replies.at(-1)?.status, 200);
  const id = replies.at(-1)?.body.top_up_id;
  assert.equal(fake.captured(id), 25_000_000n);
  assert.equal(
    [...fake.state.intents.values()].filter((one) => one.metadata.top_up_id === id).length,
    1,
  );
});

test('charges open in the previous Stripe account stay open, because the new one does not know them', async () => {
  const { add, user } = await payer();
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: 'truncate', times: 9 });
  const open = await add({ 'idempotency-key': 'three' });
  assert.equal(open.status, 202);
  await switchAccount();
  const access = { secretKey: fake.secretKey, apiBase: fake.url };
  const path = topUps(db, stripeProcessor({ ...access, customers: customerStore(db) }));
  assert.equal((await path.advance(open.body.top_up_id)).kind, 'open');
  assert.equal((await path.cancelAndSettle(open.body.top_up_id)).kind, 'open');
  assert.equal(await fixtures.balance({ userId: user.id }), 0n);
});

test('503 when the new customer is unknown as well: nothing was charged, the same key may be used again, and the log says why', async () => {
  const { user, add } = await payer();
  await add();
  const forget = () => fake.state.customers.clear();
  const kept = fake.state.customers.set;
  // Whatever is made is gone before the next request arrives, which a timer does not promise.
  fake.state.customers.set = function (...made) {
    setImmediate(forget);
    return kept.apply(this, made);
  };
  forget();
  log.length = 0;
  const headers = { 'idempotency-key': 'two' };
  const reply = await add(headers);
  assert.deepEqual([reply.status, reply.body.code], [503, 'processor_unavailable']);
  assert.equal(await fixtures.balance({ userId: user.id }), 25_000_000n);
  const line = log.map((each) => JSON.parse(each)).find(({ reason }) => reason !== undefined);
  assert.deepEqual([line?.level, line?.topUpId], [50, reply.body.top_up_id]);
  assert.match(line?.reason, /resource_missing.*customer/);
  fake.state.customers.set = kept;
  assert.equal((await add(headers)).status, 200);
  assert.equal(await fixtures.balance({ userId: user.id }), 50_000_000n);
});

test('a wrong key is a 503, and the log says why as an error, without the key', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const secretKey = 'sk_test_of_somebody_else';
  const stripe = stripeProcessor({ secretKey, apiBase: fake.url, customers: customerStore(db) });
  const path = topUps(db, stripe, { log: openLog('info', stream) });
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const { id: accountId } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  const common = { keyId: null, requestId: 'test', clientKey: undefined, amount: 25_000_000n };
  const { topUp } = await db.transaction((tx) =>
    path.start(tx, { ...common, accountId, userId: user.id, paymentMethodId: card }),
  );
  const standing = await path.advance(topUp.id);
  assert.deepEqual([standing.kind, standing.topUp.failure_code], ['failed', 'not_executed']);
  const { level, topUpId, reason } = JSON.parse(lines[0] as string);
  assert.deepEqual([lines.length, level, topUpId], [1, 50, topUp.id]);
  assert.match(reason, /StripeAuthenticationError.*401/);
  assert.ok(!lines.join('').includes('somebody_else'));
});
