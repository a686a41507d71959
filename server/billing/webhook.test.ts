import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startFakeStripe } from '../testing/fakes/fake-stripe/server.ts';
import { startHarness } from '../testing/harness/harness.ts';

const SECRET = 'whsec_of_this_test';
const fake = await startFakeStripe({ webhookSecret: SECRET });
after(() => fake.close());
const { request, db, log, unchanged } = await startHarness({ webhookSecret: SECRET });

const event = (id: string, type = 'payment_intent.succeeded') => ({
  id,
  object: 'event',
  type,
  created: Math.floor(Date.now() / 1000),
  data: { object: { id: 'pi_1', object: 'payment_intent' } },
});

const send = ({ body, header }: { body: string; header: string }) =>
  request('POST', '/webhooks/stripe', { raw: body, headers: { 'stripe-signature': header } });

test('200: an event is stored once, however often it arrives; unknown types are stored too', async () => {
  const signed = fake.sign(event('evt_1'));
  for (let i = 0; i < 3; i++) {
    const reply = await send(signed);
    assert.deepEqual([reply.status, reply.body], [200, { received: true }]);
  }
  await Promise.all(
    Array.from({ length: 10 }, () => send(fake.sign(event('evt_2', 'something.new')))),
  );
  const rows = await db.many(sql`select id, type, intent_id from processor_event order by id`);
  assert.deepEqual(rows, [
    { id: 'evt_1', type: 'payment_intent.succeeded', intent_id: 'pi_1' },
    { id: 'evt_2', type: 'something.new', intent_id: 'pi_1' },
  ]);
});

test('400: no signature, another secret, other bytes, and one older than five minutes are refused', async () => {
  const good = fake.sign(event('evt_3'));
  const old = Math.floor(Date.now() / 1000) - 301;
  const bad = [
    { ...good, header: '' },
    fake.sign(event('evt_3'), { secret: 'whsec_other' }),
    { ...good, body: good.body.replace('evt_3', 'evt_4') },
    fake.sign(event('evt_3'), { timestamp: old }),
    { body: 'not json', header: good.header },
    { body: '', header: good.header },
    ...[
      {},
      null,
      [],
      { ...event('evt_5'), created: undefined },
      event('evt_\u0000'),
      { ...event('evt_6'), created: 1e14 },
    ].map((odd) => fake.sign(odd)),
  ];
  for (const signed of bad) {
    const reply = await unchanged(() => send(signed));
    assert.deepEqual([reply.status, reply.body.code], [400, 'signature_invalid']);
  }
  assert.equal((await request('GET', '/webhooks/stripe')).headers.get('allow'), 'POST');
  assert.ok(!log.join('').includes(SECRET));
});

test('413: an event over 1 MiB is refused by its own limit; a large one below it is kept', async () => {
  const large = (size: number) => ({ ...event(`evt_${size}`), padding: 'x'.repeat(size) });
  assert.equal((await send(fake.sign(large(200_000)))).status, 200);
  const reply = await unchanged(() => send(fake.sign(large(1_100_000))));
  assert.equal(reply.status, 413);
  assert.deepEqual(reply.body, {
    detail: 'The request body is larger than 1 MiB: send a smaller one',
    code: 'body_too_large',
  });
});
