import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openLog } from '../../telemetry/log.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { customerStore } from '../cards/customers.ts';
import { stripeProcessor } from '../cards/stripe.ts';
import { processEvents, storeEvent } from './events.ts';
import { stuckEvents } from './stuck-events.ts';

const fake = await startFakeStripe();
after(() => fake.close());
const access = { secretKey: fake.secretKey, apiBase: fake.url };
const { fixtures, request, db, unchanged } = await startHarness({
  processor: (database) => stripeProcessor({ ...access, customers: customerStore(database) }),
});
const stripe = stripeProcessor({ ...access, customers: customerStore(db) });

type Line = { level: number; event: string; attempts: number; reason: string };
let lines: Line[] = [];
const log = openLog(
  'info',
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  }),
);

/** A charge of 11.00 and an event that names it. */
async function told() {
  const user = await fixtures.user();
  const body = { amount: 11, payment_method_id: await fixtures.card(user) };
  const { top_up_id } = (await request('POST', '/api/billing/add-funds', { key: user.key, body }))
    .body;
  const { intent } = await db.one<{ intent: string }>(
    sql`select processor_id as intent from top_up where id = ${top_up_id}`,
  );
  const id = `evt_${randomUUID()}`;
  await storeEvent(db, {
    id,
    type: 'charge.dispute.created',
    createdAt: new Date(),
    intentId: intent,
  });
  const work = async () => {
    lines = [];
    await db.many(sql`update processor_event set next_attempt_at = now() where id = ${id}`);
    await processEvents(db, stripe, log);
    return db.one<{ last_error: string | null; processed: boolean }>(
      sql`
        select last_error, processed_at is not null as processed from processor_event
          where id = ${id}`,
    );
  };
  return { id, intent, work, balance: () => fixtures.balance({ userId: user.id }) };
}

test('a dispute of more than its charge is posted whole, and its event is done with', async () => {
  const { intent, work, balance } = await told();
  fake.dispute(intent, { amount: 1150 });
  assert.deepEqual(await work(), { last_error: null, processed: true });
  assert.equal(await balance(), -500_000n);
  assert.deepEqual(lines, []);
});

for (const where of ['the dispute', 'what was withdrawn'] as const) {
  test(`${where} in another currency is never posted as USD: the event says why, and is told as long as it lasts`, async () => {
    const { id, intent, work, balance } = await told();
    const dispute = fake.dispute(intent);
    if (where === 'the dispute') dispute.currency = 'eur';
    else for (const transaction of dispute.balance_transactions) transaction.currency = 'eur';
    const reason = `dispute ${dispute.id} is in eur, and only USD can be posted: settle it by hand`;
    for (let attempt = 1; attempt <= 6; attempt++) {
      assert.deepEqual(await work(), { last_error: reason, processed: false });
      assert.equal(await balance(), 11_000_000n);
      const [line] = lines;
      assert.equal(lines.length, 1);
      assert.deepEqual([line?.event, line?.attempts, line?.reason], [id, attempt, reason]);
      assert.equal(line?.level, attempt < 5 ? 40 : 50);
      const { count, ids } = await stuckEvents(db);
      assert.deepEqual([count, ids], attempt < 5 ? [0, []] : [1, [id]]);
    }
    dispute.currency = 'usd';
    for (const transaction of dispute.balance_transactions) transaction.currency = 'usd';
    assert.deepEqual(await work(), { last_error: null, processed: true });
    assert.equal(await balance(), 0n);
    assert.deepEqual(await stuckEvents(db), { count: 0, ids: [] });
  });
}

test('an event that cannot be processed because Stripe does not answer is logged, without a secret', async () => {
  const { intent, work } = await told();
  fake.dispute(intent);
  await fake.closePort();
  const { last_error } = await work();
  await fake.openPort();
  assert.equal(last_error, 'the processor could not be asked');
  assert.equal(lines.length, 1);
  assert.doesNotMatch(JSON.stringify(lines), /sk_/);
  assert.deepEqual(await work(), { last_error: null, processed: true });
});

test('an event that is done changes nothing when it is worked off again', async () => {
  const { work } = await told();
  await work();
  await unchanged(() => processEvents(db, stripe, log));
});
