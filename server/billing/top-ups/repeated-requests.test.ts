import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { chargeIfDue } from '../auto-reload/charge-if-due.ts';
import type { Movements, Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { synchronize } from './movements.ts';
import { advanceRefund, startRefund } from './refund.ts';
import { topUps } from './top-ups.ts';

/**
 * Identical add-funds requests without an Idempotency-Key: one charge while it is open and for 10 s
 * after its success.
 */

let fault: Partial<Processor> = {};
const harness = await startHarness({
  processor: (database) =>
    new Proxy(sandbox(database), {
      get: (target, name) => (fault as never)[name] ?? (target as never)[name],
    }),
});
const { fixtures, request, db, unchanged } = harness;
const second = await startHarness({ databaseUrl: harness.databaseUrl });
const bank = sandbox(db);

const PERSONAL = '/api/billing/add-funds';

async function payer() {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const add = (
    { amount = 25 as unknown, path = PERSONAL, from = card } = {},
    { key = undefined as string | undefined, server = harness } = {},
  ) =>
    server.request('POST', path, {
      key: user.key,
      body: { amount, payment_method_id: from },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const charges = async () =>
    Number(
      (
        await db.one<{ count: bigint }>(sql`
          select count(*) from sandbox_intent i join top_up t on t.processor_id = i.id
           where t.user_id = ${user.id} and i.status = 'succeeded'`)
      ).count,
    );
  const balance = () => fixtures.balance({ userId: user.id });
  /** As if all that was posted to their account had been so many seconds earlier. */
  const age = async (seconds: number) => {
    await harness.owner(sql`
      alter table ledger_transfer disable trigger ledger_transfer_insert_only`);
    await harness.owner(sql`
      update ledger_transfer set created_at = created_at - ${seconds}::int * interval '1 second'
       where account_id = (select id from billing_account where user_id = ${user.id})`);
    await harness.owner(sql`
      alter table ledger_transfer enable trigger ledger_transfer_insert_only`);
  };
  return { user, card, add, charges, balance, age };
}

test('200: an identical request 50 ms after a success gets its answer, and nothing is charged', async () => {
  const { add, charges, balance } = await payer();
  const first = await add();
  await pause(50);
  // All within ten seconds: what compares the content of the database takes its time.
  const repeated = await unchanged(async () => [
    await add({ amount: 25 }),
    await add({ amount: '25.00' }),
    await add({ amount: 25.0 }),
  ]);
  for (const { status, text } of repeated) assert.deepEqual([status, text], [200, first.text]);
  assert.equal(await charges(), 1);
  assert.equal(await balance(), 25_000_000n);
});

test('200: the answer shows the balance right after that credit, whatever was spent since', async () => {
  const { user, add } = await payer();
  const first = await add();
  await fixtures.fund({ userId: user.id }, '-20');
  assert.equal((await add()).text, first.text);
});

test('200: ten seconds after the success the same request is a new charge', async () => {
  const { add, charges, age } = await payer();
  const first = await add();
  // Not close to the ten seconds: the next request may take some of them.
  await age(5);
  assert.equal((await add()).text, first.text);
  await age(5);
  assert.equal((await add()).body.new_balance, 50);
  assert.equal(await charges(), 2);
});

test('200: another amount, card, balance or person is another charge', async () => {
  const { user, add, charges } = await payer();
  const admin = await payer();
  const workspace = await fixtures.workspace(user);
  await fixtures.member(workspace, admin.user, 'admin');
  const path = `/api/organizations/${workspace}/billing/add-funds`;
  const replies = [
    await add(),
    await add({ amount: 25.01 }),
    await add({ from: await fixtures.card(user) }),
    await add({ path }),
    await admin.add({ path }),
    await admin.add(),
  ];
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ body }) => body.top_up_id)).size, replies.length);
  assert.deepEqual([await charges(), await admin.charges()], [4, 2]);
});

test('200: a key decides alone: it neither joins a request without one nor is joined by one', async () => {
  const { add, charges } = await payer();
  const plain = await add();
  const keyed = await add({}, { key: 'a' });
  assert.notEqual(keyed.body.top_up_id, plain.body.top_up_id);
  assert.notEqual((await add({}, { key: 'b' })).body.top_up_id, keyed.body.top_up_id);
  assert.equal((await add({}, { key: 'a' })).text, keyed.text);
  assert.equal(await charges(), 3);
  const only = await payer();
  await only.add({}, { key: 'a' });
  assert.equal((await only.add()).body.new_balance, 50);
});

test('200: after its money went back to the card, wholly or in part, the request is a new charge', async () => {
  const reverse: Record<string, (topUpId: string) => Promise<unknown>> = {
    refunded: (id) => refund(id),
    'partly refunded': (id) => refund(id, 1_000_000n),
    'with a refund under way': (id) => startRefund(db, bank, id, 1_000_000n, async () => {}),
    disputed: (id) => dispute(id, 25_000_000n),
  };
  for (const [what, act] of Object.entries(reverse)) {
    const { add, charges } = await payer();
    const first = await add();
    await act(first.body.top_up_id);
    const again = await add();
    assert.notEqual(again.body.top_up_id, first.body.top_up_id, what);
    assert.equal(await charges(), 2, what);
  }
});

async function refund(id: string, amount?: bigint): Promise<void> {
  const begun = await startRefund(db, bank, id, amount, async () => {});
  assert.equal((await advanceRefund(db, bank, begun.id)).status, 'succeeded');
}

async function dispute(id: string, withdrawn: bigint): Promise<void> {
  const movements = async (intentId: string): Promise<Movements | undefined> => {
    const moved = await bank.movements(intentId);
    return moved && { ...moved, disputes: [{ id: `dp_${id}`, withdrawn }] };
  };
  assert.ok(await synchronize(db, { ...bank, movements }, id));
}

test('402: a declined charge is not joined: the request asks the bank again', async () => {
  const { user, add } = await payer();
  const from = await fixtures.card(user, 'pm_card_chargeDeclined');
  const [first, again] = [await add({ from }), await add({ from })];
  assert.deepEqual([first.status, again.status], [402, 402]);
  assert.notEqual(first.body.top_up_id, again.body.top_up_id);
});

test('200: a charge that was given up and succeeded late after all is joined', async () => {
  const { add, charges } = await payer();
  let intent = '';
  fault = {
    confirm: async (id) => {
      intent = id;
      return { kind: 'canceled', intentId: id };
    },
  };
  const failed = await add();
  fault = {};
  assert.equal(failed.status, 402);
  await db.many(sql`update sandbox_intent set status = 'succeeded' where id = ${intent}`);
  assert.ok(await synchronize(db, bank, failed.body.top_up_id));
  assert.equal((await add()).body.top_up_id, failed.body.top_up_id);
  assert.equal(await charges(), 1);
});

test('an automatic charge of the same card and amount neither joins a request nor is joined by one', async () => {
  const { user, card, add, charges } = await payer();
  const settings = { enabled: true, threshold: 30, amount: 25, monthly_cap: 100 };
  const body = { ...settings, payment_method_id: card };
  await add();
  assert.equal(
    (await request('PUT', '/api/billing/auto-reload', { key: user.key, body })).status,
    200,
  );
  const { id } = await db.one<{ id: string }>(sql`
    select id from billing_account where user_id = ${user.id}`);
  const limits = { minimum: 1, maximum: 500 };
  const automatic = await chargeIfDue(db, topUps(db, bank), limits, id);
  assert.equal(automatic?.kind, 'settled');
  assert.equal(await charges(), 2);

  const other = await payer();
  const reload = { ...body, payment_method_id: other.card };
  await request('PUT', '/api/billing/auto-reload', { key: other.user.key, body: reload });
  const account = await db.one<{ id: string }>(sql`
    select id from billing_account where user_id = ${other.user.id}`);
  await chargeIfDue(db, topUps(db, bank), limits, account.id);
  const byHand = await other.add({ amount: 30 });
  assert.equal(byHand.body.new_balance, 60);
});

test('race: identical requests to two servers, up to 100 ms apart, make one charge', async () => {
  for (let round = 0; round < 10; round++) {
    const { add, charges, balance } = await payer();
    const replies = await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        await pause(Math.random() * 100);
        return add({}, { server: i % 2 === 0 ? harness : second });
      }),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(await charges(), 1);
    assert.equal(await balance(), 25_000_000n);
  }
});
