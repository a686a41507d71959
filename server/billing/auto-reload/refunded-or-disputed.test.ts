import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { autoReloadFixtures, LIMITS } from '../../testing/fixtures/billing/auto-reload.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Movements } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { synchronize } from '../top-ups/movements.ts';
import { advanceRefund, startRefund } from '../top-ups/refund.ts';
import { topUps } from '../top-ups/top-ups.ts';
import { chargeIfDue } from './charge-if-due.ts';

const harness = await startHarness();
const { fixtures, db, request, unchanged } = harness;
const { due } = autoReloadFixtures(harness);

const USD = 1_000_000n;
let disputed: Movements['disputes'] = [];
const bank = sandbox(db);
const processor = {
  ...bank,
  movements: async (intentId: string) => {
    const moved = await bank.movements(intentId);
    return moved === undefined ? undefined : { ...moved, disputes: disputed };
  },
};
const path = topUps(db, processor);

/** Somebody who added 50.00, with an auto-reload of 25.00 below 10.00 on the same card. */
async function watched() {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const id = await add(user, card);
  const settings = {
    enabled: true,
    threshold: '10',
    amount: '25',
    monthly_cap: '200',
    payment_method_id: card,
  };
  await put(user, settings);
  const { account } = await db.one<{ account: string }>(
    sql`select account_id as account from top_up where id = ${id}`,
  );
  return { user, card, id, account, look: () => chargeIfDue(db, path, LIMITS, account) };
}

async function add(user: User, card: string, amount = 50): Promise<string> {
  const body = { amount, payment_method_id: card };
  return (await request('POST', '/api/billing/add-funds', { key: user.key, body })).body.top_up_id;
}

const put = (user: User, body: object) =>
  request('PUT', '/api/billing/auto-reload', { key: user.key, body }).then((reply) => reply.body);

const get = (user: User) =>
  request('GET', '/api/billing/auto-reload', { key: user.key }).then((reply) => reply.body);

/** The bank takes a charge back. */
async function dispute(id: string, amount = 50n * USD): Promise<void> {
  disputed = [{ id: `dp_${id}`, withdrawn: amount }];
  assert.ok(await synchronize(db, processor, id));
  disputed = [];
}

async function refund(id: string): Promise<void> {
  const begun = await startRefund(db, processor, id, undefined, async () => {});
  assert.equal((await advanceRefund(db, processor, begun.id)).status, 'succeeded');
}

test('after a refund the card is left alone, and a person sees why', async () => {
  const { user, id, account, look } = await watched();
  await refund(id);
  assert.equal(await unchanged(look), undefined);
  assert.equal(await due(account), false);
  const { enabled, paused_reason } = await get(user);
  assert.deepEqual([enabled, paused_reason], [true, 'refunded']);
  const [recorded] = await db.many<{ action: string }>(sql`
    select action from audit_event where target_id = ${account} order by occurred_at desc limit 1`);
  assert.equal(recorded?.action, 'auto_reload.pause');
});

test('while a refund is under way nothing is charged for the money it holds', async () => {
  const { id, account, look } = await watched();
  await startRefund(db, processor, id, 50n * USD, async () => {});
  assert.equal(await unchanged(look), undefined);
  assert.equal(await due(account), false);
});

test('after a dispute, also of an automatic charge or of a part, the card is left alone', async () => {
  const { user, id, look } = await watched();
  await dispute(id, USD);
  assert.equal((await get(user)).paused_reason, 'disputed');
  await fixtures.fund({ userId: user.id }, '-49');
  assert.equal(await unchanged(look), undefined);

  const other = await watched();
  await fixtures.fund({ userId: other.user.id }, '-50');
  const charged = await other.look();
  assert.equal(charged?.kind, 'settled');
  await db.many(sql`
    update top_up set created_at = created_at - interval '2 hours'
      where account_id = ${other.account}`);
  await dispute(charged?.topUp.id as string, 25n * USD);
  assert.equal(await unchanged(other.look), undefined);
});

test('the first reason stays, and what is given back does not resume it', async () => {
  const { user, id } = await watched();
  await dispute(id);
  await dispute(id, 0n);
  assert.equal((await get(user)).paused_reason, 'disputed');
  await refund(id);
  assert.equal((await get(user)).paused_reason, 'disputed');
});

test('funds added by hand, another card, or switching it on anew resume it; sending it back as it is does not', async () => {
  const ways: ((its: Awaited<ReturnType<typeof watched>>) => Promise<unknown>)[] = [
    ({ user, card }) => add(user, card, 60),
    async ({ user }) => put(user, { payment_method_id: await fixtures.card(user) }),
    ({ user }) => put(user, { enabled: false }).then(() => put(user, { enabled: true })),
  ];
  for (const [i, resume] of ways.entries()) {
    for (const take of [refund, dispute]) {
      const its = await watched();
      await take(its.id);
      const before = await get(its.user);
      assert.equal((await put(its.user, before)).paused_reason, before.paused_reason);
      assert.ok(before.paused_reason);
      await resume(its);
      assert.equal((await get(its.user)).paused_reason, undefined, `way ${i}`);
    }
  }
});

test('what is off stays off without a reason, so that it can be switched on later', async () => {
  const { user, id } = await watched();
  await put(user, { enabled: false });
  await dispute(id);
  const { enabled, paused_reason } = await get(user);
  assert.deepEqual([enabled, paused_reason], [false, undefined]);
});
