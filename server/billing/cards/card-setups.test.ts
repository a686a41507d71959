import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startStripeCards } from '../../testing/fixtures/billing/stripe-cards.ts';
import { detachCards } from './detach-cards.ts';
import { CARDS_PER_PERSON } from './keep-card.ts';
import { reconcileSetups } from './reconcile-setups.ts';

const { db, fake, fixtures, request, stripe, setups, saver, deliver, actions, unchanged } =
  await startStripeCards();

const makeDue = (id: string) =>
  db.many(sql`
    update card_setup set next_check_at = now() - interval '1 second'
     where id = ${id}`);

test('201: a browser gets what Stripe’s script needs, and the card is saved when it has been entered', async () => {
  const { begin, complete, list, user } = await saver();
  const { status, body } = await begin();
  assert.deepEqual([status, body.status, body.publishable_key], [201, 'open', 'pk_test_fake']);
  const setup = [...fake.state.setups.values()].at(-1);
  assert.deepEqual([setup?.usage, setup?.client_secret], ['off_session', body.client_secret]);
  const early = await complete(body.id);
  assert.deepEqual([early.status, early.body.status], [200, 'open']);
  assert.equal(early.body.client_secret, undefined);
  const token = fake.completeSetup(body.client_secret, { exp_month: 4, exp_year: 2031 });
  const done = await complete(body.id);
  assert.equal(done.body.status, 'succeeded');
  assert.deepEqual(await list(), [
    {
      id: done.body.payment_method_id,
      token,
      brand: 'visa',
      last4: '4242',
      exp_month: 4,
      exp_year: 2031,
      removed: false,
    },
  ]);
  assert.deepEqual(await actions(done.body.payment_method_id), ['payment_method.save']);
  const funds = { amount: 10, payment_method_id: done.body.payment_method_id };
  const added = await request('POST', '/api/billing/add-funds', { key: user.key, body: funds });
  assert.equal(added.status, 200);
});

test('200: a card gets one row, whoever reports it how often at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { begin, complete, list } = await saver();
    const { body } = await begin();
    fake.completeSetup(body.client_secret);
    await makeDue(body.id);
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => complete(body.id)),
      deliver(),
      reconcileSetups(db, setups),
    ]);
    for (const reply of replies.slice(0, 4))
      assert.equal((reply as { body: { status: string } }).body.status, 'succeeded');
    const cards = await list();
    assert.equal(cards.length, 1);
    assert.deepEqual(await actions(cards[0]?.id as string), ['payment_method.save']);
  }
});

test('a card is saved by an event alone, by the background work alone, and once by both', async () => {
  for (const type of ['setup_intent.succeeded', 'payment_method.attached']) {
    const { begin, complete, list } = await saver();
    const { body } = await begin();
    fake.completeSetup(body.client_secret);
    await deliver(type);
    const [card] = await list();
    assert.ok(card, type);
    const { status, payment_method_id } = (await complete(body.id)).body;
    assert.deepEqual([status, payment_method_id], ['succeeded', card.id]);
    await deliver();
    assert.equal((await list()).length, 1);
  }
  const { begin, list } = await saver();
  const { body } = await begin();
  fake.completeSetup(body.client_secret);
  await makeDue(body.id);
  assert.equal(await reconcileSetups(db, setups), 1);
  assert.equal((await list()).length, 1);
});

test('what Stripe cannot be asked stays open and is asked again', async () => {
  const { begin, complete, list } = await saver();
  const { body } = await begin();
  fake.completeSetup(body.client_secret);
  fake.fault({ match: 'GET /v1/setup_intents/:id', kind: '502html', times: 3 });
  assert.equal((await complete(body.id)).body.status, 'open');
  fake.clearFaults();
  fake.fault({ match: 'GET /v1/payment_methods/:id', kind: '502html', times: 3 });
  assert.equal((await complete(body.id)).body.status, 'open');
  fake.clearFaults();
  assert.equal((await list()).length, 0);
  assert.equal((await complete(body.id)).body.status, 'succeeded');
});

test('an attempt that is not completed is cancelled after a day, and no card comes of it', async () => {
  const { begin, complete, list } = await saver();
  const { body } = await begin();
  await makeDue(body.id);
  assert.equal(await reconcileSetups(db, setups), 0);
  assert.equal((await setups.abandon(body.id)).status, 'failed');
  assert.equal((await complete(body.id)).body.failure_code, 'canceled');
  assert.throws(() => fake.completeSetup(body.client_secret), /canceled/);
  assert.deepEqual(await list(), []);
});

test('a card that was entered just before the attempt is cancelled is saved', async () => {
  const { begin, list } = await saver();
  const { body } = await begin();
  fake.completeSetup(body.client_secret);
  assert.equal((await setups.abandon(body.id)).status, 'succeeded');
  assert.equal((await list()).length, 1);
});

test('a card of another customer never becomes the person’s own', async () => {
  const [thief, owner] = [await saver(), await saver()];
  const theirs = await owner.save();
  const { body } = await thief.begin();
  const setup = fake.state.setups.get(body.client_secret.split('_secret_')[0]);
  Object.assign(setup ?? {}, { status: 'succeeded', payment_method: theirs.token });
  const { status, failure_code } = (await thief.complete(body.id)).body;
  assert.deepEqual([status, failure_code], ['failed', 'card_of_another_person']);
  assert.deepEqual(await thief.list(), []);
  assert.equal((await owner.list()).length, 1);
});

test('one card too many fails, and Stripe does not keep it', async () => {
  const { user, begin, complete, list } = await saver();
  const { body } = await begin();
  for (let i = 0; i < CARDS_PER_PERSON; i++) await fixtures.card(user);
  const token = fake.completeSetup(body.client_secret);
  const { status, failure_code } = (await complete(body.id)).body;
  assert.deepEqual([status, failure_code], ['failed', 'too_many_cards']);
  assert.equal((await list()).length, CARDS_PER_PERSON);
  await detachCards(db, stripe.cards);
  assert.ok(fake.state.detached.has(token));
});

test('422: Stripe takes no test card; 503: nothing is recorded while it cannot be reached', async () => {
  const { begin } = await saver();
  const test = await unchanged(() => begin({ test_card: 'pm_card_visa' }));
  assert.deepEqual([test.status, test.body.detail[0].type], [422, 'test_card_not_allowed']);
  fake.fault({ match: 'POST /v1/setup_intents', kind: '502html', times: 3 });
  const reply = await begin();
  assert.deepEqual([reply.status, reply.body.code], [503, 'processor_unavailable']);
  fake.clearFaults();
  assert.equal((await begin()).status, 201);
});
