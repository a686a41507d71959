import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startStripeCards } from '../../testing/fixtures/billing/stripe-cards.ts';
import type { CardState } from './card-keeper.ts';
import { synchronizeCard } from './synchronize-card.ts';

const { db, fake, fixtures, stripe, saver, deliver, actions } = await startStripeCards();

test('a card that its bank has replaced gets its new number and expiry', async () => {
  const { save, list } = await saver();
  const { id, token } = await save({ exp_month: 1, exp_year: 2027 });
  fake.replaceCard(token, { last4: '1881', exp_month: 2, exp_year: 2032 });
  await deliver('payment_method.automatically_updated');
  const [card] = await list();
  assert.deepEqual([card?.last4, card?.exp_month, card?.exp_year], ['1881', 2, 2032]);
  await deliver();
  assert.deepEqual(await actions(id), ['payment_method.save', 'payment_method.update']);
});

test('a card that was removed at Stripe is removed here, and stays so', async () => {
  const { save, list } = await saver();
  const { id, token } = await save();
  fake.detach(token);
  await deliver();
  await synchronizeCard(db, stripe.cards, token);
  assert.deepEqual(
    (await list()).map(({ removed }) => removed),
    [true],
  );
  assert.deepEqual(await actions(id), ['payment_method.save', 'payment_method.remove']);
});

test('an older answer of Stripe does not replace a newer one', async () => {
  const { save, list } = await saver();
  const { token } = await save({ exp_month: 1, exp_year: 2027 });
  const old = await stripe.cards.card(token);
  fake.replaceCard(token, { exp_month: 6, exp_year: 2033 });
  let asked = 0;
  const late = {
    ...stripe.cards,
    card: async (name: string): Promise<CardState> => {
      if (asked++ > 0) return stripe.cards.card(name);
      await synchronizeCard(db, stripe.cards, token);
      return old;
    },
  };
  assert.equal(await synchronizeCard(db, late, token), true);
  assert.equal(asked, 2);
  assert.equal((await list())[0]?.exp_year, 2033);
});

test('a card that was removed while it was being saved ends as removed', async () => {
  const { begin, list } = await saver();
  const { body } = await begin();
  const token = fake.completeSetup(body.client_secret);
  const attached = await stripe.cards.card(token);
  fake.detach(token);
  let asked = 0;
  const late = {
    ...stripe.cards,
    card: async (name: string) => (asked++ === 0 ? attached : stripe.cards.card(name)),
  };
  assert.equal(await synchronizeCard(db, late, token), true);
  assert.deepEqual(
    (await list()).map(({ removed }) => removed),
    [true],
  );
});

test('cards of other software, and test cards that belong to everyone, change nothing', async () => {
  const user = await fixtures.user();
  await fixtures.card(user);
  fake.card('pm_1Elsewhere', { behaviour: 'pays', customer: 'cus_elsewhere' });
  const count = () => db.one(sql`select count(*) from payment_method`);
  const before = await count();
  for (const token of ['pm_1Elsewhere', 'pm_1Unknown', 'pm_card_visa'])
    assert.equal(await synchronizeCard(db, stripe.cards, token), true);
  assert.deepEqual(await count(), before);
});

test('an event whose card cannot be asked for is processed later', async () => {
  const { save, list } = await saver();
  const { token } = await save({ exp_month: 1, exp_year: 2027 });
  fake.replaceCard(token, { exp_year: 2034 });
  fake.fault({ match: 'GET /v1/payment_methods/:id', kind: '502html', times: 99 });
  await deliver('payment_method.automatically_updated');
  assert.equal((await list())[0]?.exp_year, 2027);
  fake.clearFaults();
  await deliver();
  assert.equal((await list())[0]?.exp_year, 2034);
});

test('a card that Stripe does not know is looked up once, and its event is done', async () => {
  assert.equal(await synchronizeCard(db, stripe.cards, 'pm_1NeverSaved'), true);
});
