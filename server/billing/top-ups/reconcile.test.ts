import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Outcome, Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { reconcile } from './reconcile.ts';
import { topUps } from './top-ups.ts';

const { fixtures, db, unchanged } = await startHarness({ own: true });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NONE = { checked: 0, settled: 0, failed: 0, open: 0, late: 0, others: 0 };
const SCHEDULE = [15, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

let fault: Partial<Processor> = {};
const real = sandbox(db);
const path = topUps(
  db,
  new Proxy(real, { get: (target, name) => (fault as never)[name] ?? (target as never)[name] }),
);
const unknown = async (): Promise<Outcome> => ({ kind: 'unknown', reason: 'test' });

/** A top-up as a request leaves it that got as far as `crash`. */
async function leftAt(crash: 'start' | 'create' | 'record' | 'confirm', token?: string) {
  const user = await fixtures.user();
  const card = await fixtures.card(user, token);
  const account = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  const key = await db.one<{ id: string }>(sql`select id from api_key where user_id = ${user.id}`);
  const { topUp } = await db.transaction((tx) =>
    path.start(tx, {
      accountId: account.id,
      userId: user.id,
      keyId: key.id,
      requestId: 'crashed',
      paymentMethodId: card,
      amount: 5_000_000n,
      clientKey: undefined,
    }),
  );
  if (crash === 'create')
    await real.create({
      topUpId: topUp.id,
      accountId: account.id,
      payerAccountId: account.id,
      amount: topUp.amount,
      token: token ?? 'pm_card_visa',
    });
  fault =
    crash === 'record'
      ? { confirm: unknown }
      : crash === 'confirm'
        ? { confirm: (...request) => real.confirm(...request).then(unknown) }
        : { create: unknown };
  if (crash === 'record' || crash === 'confirm') await path.advance(topUp.id);
  fault = {};
  const row = async () =>
    db.one<{ status: string; checks: number }>(
      sql`select status, checks from top_up where id = ${topUp.id}`,
    );
  return { id: topUp.id, balance: () => fixtures.balance({ userId: user.id }), row };
}

/** As if this much time had passed for every open top-up. */
const pass = (milliseconds: number) =>
  db.many(sql`
    update top_up set created_at = created_at - ${milliseconds} * interval '1 millisecond',
                      next_check_at = next_check_at - ${milliseconds} * interval '1 millisecond'
     where status in ('created', 'processing')`);

for (const crash of ['start', 'create', 'record', 'confirm'] as const) {
  test(`a crash after ${crash} ends as if there had been none: one capture, one credit`, async () => {
    const { balance, row, id } = await leftAt(crash);
    assert.deepEqual(await reconcile(db, path, SCHEDULE), NONE);
    await pass(15_000);
    assert.equal((await reconcile(db, path, SCHEDULE)).settled, 1);
    assert.deepEqual(await row(), { status: 'succeeded', checks: 1 });
    assert.equal(await balance(), 5_000_000n);
    const intents = await db.many(
      sql`select status from sandbox_intent where idempotency_key = ${`topup:${id}:create`}`,
    );
    assert.deepEqual(intents, [{ status: 'succeeded' }]);
  });
}

test('a decline whose answer was lost ends as failed, without a credit', async () => {
  const { balance, row } = await leftAt('record', 'pm_card_chargeDeclined');
  await pass(15_000);
  assert.equal((await reconcile(db, path, SCHEDULE)).failed, 1);
  assert.equal((await row()).status, 'failed');
  assert.equal(await balance(), 0n);
});

test('an unknown outcome is checked after 15 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h, then the charge is cancelled', async () => {
  const { row, balance } = await leftAt('record');
  fault = { confirm: unknown };
  let elapsed = 0;
  for (const [index, at] of SCHEDULE.entries()) {
    await pass(at - elapsed - 2_000);
    assert.equal((await reconcile(db, path, SCHEDULE)).checked, 0, `early at ${at}`);
    await pass(2_000);
    elapsed = at;
    const round = await reconcile(db, path, SCHEDULE);
    const last = index === SCHEDULE.length - 1;
    assert.deepEqual(round, { ...NONE, checked: 1, failed: last ? 1 : 0, open: last ? 0 : 1 });
  }
  fault = {};
  assert.deepEqual(await row(), { status: 'failed', checks: 7 });
  assert.equal(await balance(), 0n);
  const [intent] = await db.many(
    sql`
      select i.status from sandbox_intent i join top_up t on t.processor_id = i.id
        order by t.created_at limit 1`,
  );
  assert.deepEqual(intent, { status: 'canceled' });
});

test('a top-up that was not checked for days is cancelled by its first check, not charged', async () => {
  const [unrecorded, recorded] = [await leftAt('start'), await leftAt('record')];
  await pass(3 * DAY);
  assert.deepEqual(await reconcile(db, path, SCHEDULE), { ...NONE, checked: 2, failed: 2 });
  for (const { row, balance } of [unrecorded, recorded]) {
    assert.deepEqual(await row(), { status: 'failed', checks: 1 });
    assert.equal(await balance(), 0n);
  }
  const charged = await db.many(sql`
    select i.id from sandbox_intent i join top_up t on t.processor_id = i.id
     where t.id = ${recorded.id} and i.status <> 'canceled'`);
  assert.deepEqual(charged, []);
});

test('after hours without a server it is checked once, and then at the next time that is still to come', async () => {
  const { row, id } = await leftAt('record');
  fault = { confirm: unknown };
  await pass(2 * HOUR);
  assert.equal((await reconcile(db, path, SCHEDULE)).open, 1);
  assert.equal((await reconcile(db, path, SCHEDULE)).checked, 0);
  const { next } = await db.one<{ next: number }>(sql`
    select extract(epoch from next_check_at - created_at)::float8 as next from top_up
      where id = ${id}`);
  assert.equal(next, 6 * 3600);
  fault = {};
  await pass(4 * HOUR);
  await reconcile(db, path, SCHEDULE);
  assert.deepEqual(await row(), { status: 'succeeded', checks: 2 });
});

test('a fence that finds the money captured credits it', async () => {
  const { row, balance } = await leftAt('confirm');
  fault = { confirm: unknown };
  await pass(DAY);
  assert.equal((await reconcile(db, path, SCHEDULE)).settled, 1);
  fault = {};
  assert.equal((await row()).status, 'succeeded');
  assert.equal(await balance(), 5_000_000n);
});

test('what even the fence cannot settle is reported late, and asked again every hour', async () => {
  const { row } = await leftAt('record');
  fault = { cancel: unknown, confirm: unknown };
  await pass(DAY);
  assert.equal((await reconcile(db, path, SCHEDULE)).late, 1);
  assert.equal((await reconcile(db, path, SCHEDULE)).checked, 0);
  await pass(HOUR + 1000);
  assert.equal((await reconcile(db, path, SCHEDULE)).late, 1);
  await pass(HOUR + 1000);
  fault = {};
  assert.equal((await reconcile(db, path, SCHEDULE)).failed, 1);
  assert.equal((await row()).status, 'failed');
});

test('an open top-up of another processor is counted and left exactly as it is', async () => {
  const open = [await leftAt('start'), await leftAt('record')];
  const stripe = topUps(db, { ...real, name: 'stripe' });
  await pass(3 * DAY);
  await unchanged(async () => {
    assert.deepEqual(await reconcile(db, stripe, SCHEDULE), { ...NONE, others: 2 });
    for (const { id } of open) {
      assert.equal((await stripe.advance(id)).kind, 'open');
      assert.equal((await stripe.cancelAndSettle(id)).kind, 'open');
    }
  });
  assert.equal((await reconcile(db, path, SCHEDULE)).failed, 2);
});

test('race: many reconcilers and the request itself settle each top-up once', async () => {
  const left = [];
  for (let i = 0; i < 12; i++)
    left.push(await leftAt((['start', 'create', 'record', 'confirm'] as const)[i % 4] as 'start'));
  await pass(15_000);
  const rounds = await Promise.all([
    ...Array.from({ length: 4 }, () => reconcile(db, path, SCHEDULE)),
    ...left.map(({ id }) => path.advance(id)),
  ]);
  assert.ok(rounds.length > 4);
  for (const { row, balance } of left) {
    assert.equal((await row()).status, 'succeeded');
    assert.equal(await balance(), 5_000_000n);
  }
});
