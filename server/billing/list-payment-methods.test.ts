import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

test('200: the caller’s own cards, newest first, without the removed ones and without the processor’s name', async () => {
  const user = await fixtures.user();
  const [first, second, gone] = [
    await fixtures.card(user),
    await fixtures.card(user),
    await fixtures.card(user),
  ];
  await fixtures.card(await fixtures.user());
  await db.many(sql`update payment_method set detached_at = now() where id = ${gone}`);
  const { body, text } = await request('GET', '/api/billing/payment-methods', { key: user.key });
  assert.deepEqual(
    body.map(({ id }: { id: string }) => id),
    [second, first],
  );
  const { created_at, ...card } = body[0];
  assert.deepEqual(card, {
    id: second,
    brand: 'visa',
    last4: '4242',
    expired: false,
    is_default: false,
    shared_with: [],
  });
  assert.ok(!text.includes('pm_card_visa'));
});
