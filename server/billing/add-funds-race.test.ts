import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPayers } from '../testing/fixtures/billing/payer.ts';
import { sandbox } from './cards/sandbox.ts';

const { fixtures, db, payer, topUpsOf, capturedBy, breakProcessor } = await startPayers({
  delay: 10,
});

test('race: twenty requests with one Idempotency-Key make one charge and one answer', async () => {
  const { user, add, balance } = await payer();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => add(25, { idempotencyKey: 'one' })),
  );
  const answered = replies.filter(({ status }) => status === 200);
  assert.equal(answered.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1);
  assert.equal(new Set(answered.map(({ text }) => text)).size, 1);
  for (const reply of replies) {
    if (reply.status !== 200)
      assert.deepEqual([reply.status, reply.body.code], [409, 'idempotency_in_progress']);
  }
  const replay = await add(25, { idempotencyKey: 'one' });
  assert.equal(replay.text, answered[0]?.text);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.equal(await balance(), 25_000_000n);
  assert.equal(await capturedBy(user), '25000000');
});

test('race: twenty identical requests without a key join the first while it is open', async () => {
  const { user, add, balance } = await payer();
  const slow = sandbox(db, { delay: 150 });
  breakProcessor({ create: slow.create, confirm: slow.confirm });
  const replies = await Promise.all(Array.from({ length: 20 }, () => add(25)));
  breakProcessor();
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.equal((await topUpsOf(user)).length, 1);
  assert.equal(await balance(), 25_000_000n);
});

test('race: different amounts at once are all charged, each answer has its own running balance', async () => {
  const { add, balance } = await payer();
  const amounts = Array.from({ length: 12 }, (_, i) => i + 1);
  const replies = await Promise.all(amounts.map((amount) => add(amount)));
  assert.deepEqual(
    replies.map(({ body }) => body.amount_charged),
    amounts,
  );
  assert.equal(new Set(replies.map(({ body }) => body.new_balance)).size, 12);
  assert.equal(Math.max(...replies.map(({ body }) => body.new_balance)), 78);
  assert.equal(await balance(), 78_000_000n);
});

test('race: of amounts that only fit under the cap one by one, the rest is refused before it is charged', async () => {
  for (let round = 0; round < 5; round++) {
    const { user, add, balance } = await payer();
    await fixtures.fund({ userId: user.id }, '999999980.00');
    const replies = await Promise.all([15, 16, 17, 18].map((amount) => add(amount)));
    const codes = replies.map(({ status, body }) => (status === 200 ? 'charged' : body.code));
    const expected = ['balance_limit', 'balance_limit', 'balance_limit', 'charged'];
    assert.deepEqual(codes.sort(), expected);
    assert.equal(String((await balance()) - 999_999_980_000_000n), await capturedBy(user));
  }
});

test('race: one client key with two bodies: the second is refused, never charged', async () => {
  const { user, add } = await payer();
  await add(25, { idempotencyKey: 'same' });
  const other = await add(26, { idempotencyKey: 'same' });
  assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused']);
  assert.equal(await capturedBy(user), '25000000');
});
