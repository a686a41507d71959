import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';
import { CARDS_PER_PERSON } from './cards/keep-card.ts';
import { TEST_CARDS, testCard } from './cards/test-cards.ts';

const { fixtures, request, unchanged } = await startHarness({ own: true });

const setUp = (user: { key: string }, body: object) =>
  request('POST', '/api/billing/payment-methods/setup', { key: user.key, body });
const cardsOf = async (user: { key: string }) =>
  (await request('GET', '/api/billing/payment-methods', { key: user.key })).body;

test('201: the sandbox saves a published test card at once, and it can be charged', async () => {
  const user = await fixtures.user();
  const reply = await setUp(user, { test_card: 'pm_card_mastercard' });
  const { status, payment_method_id, client_secret } = reply.body;
  assert.deepEqual([reply.status, status, client_secret], [201, 'succeeded', undefined]);
  const [card] = await cardsOf(user);
  assert.deepEqual([card.id, card.brand, card.last4], [payment_method_id, 'mastercard', '4444']);
  const body = { amount: 10, payment_method_id };
  const added = await request('POST', '/api/billing/add-funds', { key: user.key, body });
  assert.deepEqual([added.status, added.body.amount_charged], [200, 10]);
});

test('201: every test card that can be named is one that the sandbox knows', async () => {
  assert.deepEqual(
    TEST_CARDS.filter((token) => testCard(token) === undefined),
    [],
  );
});

test('201: the same Idempotency-Key saves one card, however often it is sent', async () => {
  const user = await fixtures.user();
  const headers = { 'idempotency-key': 'once' };
  const send = () =>
    request('POST', '/api/billing/payment-methods/setup', {
      key: user.key,
      body: { test_card: 'pm_card_visa' },
      headers,
    });
  const [first, second] = [await send(), await send()];
  assert.equal(first.text, second.text);
  assert.equal((await cardsOf(user)).length, 1);
});

test('409: a person has at most so many cards, also when they save several at once', async () => {
  const user = await fixtures.user();
  for (let i = 0; i < CARDS_PER_PERSON - 1; i++) await fixtures.card(user);
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => setUp(user, { test_card: 'pm_card_visa' })),
  );
  const saved = replies.filter(({ body }) => body.status === 'succeeded');
  assert.equal(saved.length, 1);
  for (const { status, body } of replies.filter((reply) => !saved.includes(reply)))
    assert.deepEqual([status, body.code ?? body.failure_code].slice(1), ['too_many_cards']);
  assert.equal((await cardsOf(user)).length, CARDS_PER_PERSON);
  const reply = await setUp(user, { test_card: 'pm_card_visa' });
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_cards']);
});

test('422: without a test card, or with one that does not exist', async () => {
  const user = await fixtures.user();
  for (const [body, type] of [
    [{}, 'missing'],
    [{ test_card: 'pm_card_gold' }, 'literal_error'],
    [{ test_card: '4242424242424242' }, 'literal_error'],
  ] as const) {
    const reply = await unchanged(() => setUp(user, body));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
    assert.deepEqual(reply.body.detail[0].loc, ['body', 'test_card']);
  }
});
