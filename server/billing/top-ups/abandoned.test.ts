import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Outcome } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { topUps } from './top-ups.ts';

const { fixtures, request, db, unchanged } = await startHarness({
  processor: (database) => ({
    ...sandbox(database),
    confirm: async (): Promise<Outcome> => ({ kind: 'unknown', reason: 'test' }),
  }),
});

test('402: an abandoned charge is answered as charge_given_up, not as a declined card', async () => {
  const user = await fixtures.user();
  const body = { amount: 25, payment_method_id: await fixtures.card(user) };
  const add = () =>
    request('POST', '/api/billing/add-funds', {
      key: user.key,
      body,
      headers: { 'idempotency-key': 'one' },
    });
  const open = await add();
  assert.equal(open.status, 202);
  const { top_up_id } = open.body;
  assert.equal((await topUps(db, sandbox(db)).cancelAndSettle(top_up_id)).kind, 'failed');
  const reply = await unchanged(add);
  const detail =
    'The charge was cancelled before its outcome was known. Nothing was charged: add the funds ' +
    'again with a new Idempotency-Key';
  assert.equal(reply.status, 402);
  assert.deepEqual(reply.body, { detail, code: 'charge_given_up', top_up_id });
  assert.equal(await fixtures.balance({ userId: user.id }), 0n);
});
