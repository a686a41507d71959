import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startStripeCards } from '../testing/fixtures/billing/stripe-cards.ts';
import { detachCards } from './cards/detach-cards.ts';

const { db, fake, fixtures, request, stripe, saver, unchanged } = await startStripeCards();

type Person = { key: string };
const remove = (user: Person, id: string) =>
  request('DELETE', `/api/billing/payment-methods/${id}`, { key: user.key });
const makeDefault = (user: Person, id: string) =>
  request('PUT', `/api/billing/payment-methods/${id}/default`, { key: user.key });
const listed = async (user: Person) =>
  (await request('GET', '/api/billing/payment-methods', { key: user.key })).body as {
    id: string;
    is_default: boolean;
    expired: boolean;
    exp_year?: number;
  }[];
const defaultOf = async (user: Person) =>
  (await listed(user)).filter((card) => card.is_default).map(({ id }) => id);

test('200: the first card is the default until another one is made it, and removal passes it on', async () => {
  const { user, save } = await saver();
  const [first, second, third] = [await save(), await save(), await save()];
  assert.deepEqual(await defaultOf(user), [first.id]);
  const reply = await makeDefault(user, third.id);
  assert.deepEqual([reply.status, reply.body.is_default], [200, true]);
  assert.deepEqual(await defaultOf(user), [third.id]);
  assert.equal((await remove(user, third.id)).status, 204);
  assert.deepEqual(await defaultOf(user), [first.id]);
  await remove(user, first.id);
  assert.deepEqual(await defaultOf(user), [second.id]);
});

test('200: a card is expired once its month is over', async () => {
  const { user, save } = await saver();
  await save({ exp_month: 12, exp_year: 2020 });
  await save({ exp_month: 12, exp_year: 2090 });
  const old = await fixtures.card(user);
  assert.deepEqual(
    (await listed(user)).map(({ expired }) => expired),
    [false, false, true],
  );
  assert.equal((await listed(user)).find(({ id }) => id === old)?.exp_year, undefined);
});

test('204: a card is removed here at once, and at Stripe as soon as Stripe can be reached', async () => {
  const { user, save } = await saver();
  const { id, token } = await save();
  await detachCards(db, stripe.cards);
  fake.fault({ match: 'POST /v1/payment_methods/:id/detach', kind: 'dropBefore', times: 99 });
  fake.fault({ match: 'GET /v1/payment_methods/:id', kind: '502html', times: 99 });
  assert.equal((await remove(user, id)).status, 204);
  assert.deepEqual(await listed(user), []);
  assert.deepEqual(await detachCards(db, stripe.cards), { done: 0, failed: true });
  fake.clearFaults();
  assert.ok(!fake.state.detached.has(token));
  assert.deepEqual(await detachCards(db, stripe.cards), { done: 1, failed: false });
  assert.ok(fake.state.detached.has(token));
  assert.deepEqual(await detachCards(db, stripe.cards), { done: 0, failed: false });
  const body = { amount: 10, payment_method_id: id };
  const added = await request('POST', '/api/billing/add-funds', { key: user.key, body });
  assert.deepEqual([added.status, added.body.detail[0].type], [422, 'payment_method_detached']);
});

test('204: a card whose removal was answered by a lost connection counts as removed', async () => {
  const { user, save } = await saver();
  const { id, token } = await save();
  await remove(user, id);
  fake.fault({ match: 'POST /v1/payment_methods/:id/detach', kind: '500saved' });
  fake.detach(token);
  assert.equal((await detachCards(db, stripe.cards)).failed, false);
});

test('403 and 404: another person’s card, and one that is gone or never was', async () => {
  const [{ save, user }, other] = [await saver(), await fixtures.user()];
  const { id } = await save();
  for (const act of [remove, makeDefault]) {
    const foreign = await act(other, id);
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'forbidden']);
    assert.equal((await act(other, `pm_${'0'.repeat(24)}`)).status, 404);
  }
  assert.deepEqual(await defaultOf(user), [id]);
  await remove(user, id);
  for (const act of [remove, makeDefault]) assert.equal((await act(user, id)).status, 404);
});

test('409: a card of auto-reload, or of a charge whose outcome is open, is not removed', async () => {
  const { user, save } = await saver();
  const { id } = await save();
  const put = (body: object) => request('PUT', '/api/billing/auto-reload', { key: user.key, body });
  const figures = { threshold: 1, amount: 5, monthly_cap: 50, payment_method_id: id };
  assert.equal((await put({ enabled: true, ...figures })).status, 200);
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: '502html', times: 9 });
  const body = { amount: 10, payment_method_id: id };
  const open = await request('POST', '/api/billing/add-funds', { key: user.key, body });
  assert.equal(open.status, 202);
  fake.clearFaults();
  const reply = await unchanged(() => remove(user, id));
  assert.deepEqual([reply.status, reply.body.code], [409, 'payment_method_in_use']);
  assert.deepEqual(
    reply.body.blockers.map((blocker: Record<string, string>) => [blocker.code, blocker.top_up_id]),
    [
      ['auto_reload', undefined],
      ['top_up_in_flight', open.body.top_up_id],
    ],
  );
  await put({ enabled: false });
  await db.many(sql`
    update top_up set status = 'failed', failure_code = 'canceled', next_check_at = null
     where id = ${open.body.top_up_id}`);
  assert.equal((await remove(user, id)).status, 204);
});

test('race: a removal and charges leave a charge only with a top-up that was recorded before it', async () => {
  for (let round = 0; round < 8; round++) {
    const { user, save } = await saver();
    const { id } = await save();
    const add = (amount: number) =>
      request('POST', '/api/billing/add-funds', {
        key: user.key,
        body: { amount, payment_method_id: id },
      });
    const [removed, ...added] = await Promise.all([remove(user, id), add(10), add(11), add(12)]);
    const paid = added.filter(({ status }) => status === 200);
    for (const reply of added)
      assert.ok([200, 422].includes(reply.status), `${reply.status} ${reply.text}`);
    assert.ok([204, 409].includes(removed.status), removed.text);
    const tops = await db.many<{ id: string; status: string }>(sql`
      select t.id, t.status from top_up t where t.payment_method_id = ${id}`);
    assert.equal(tops.length, paid.length);
    const late = await db.many(sql`
      select from top_up t join payment_method p on p.id = t.payment_method_id
       where p.id = ${id} and t.created_at > p.detached_at`);
    assert.equal(late.length, 0);
  }
});
