import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures.ts';
import { startHarness } from '../../testing/harness.ts';
import type { Outcome, Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { topUps } from '../top-ups/top-ups.ts';
import { considerAutoReload, dueAutoReloads, runDueAutoReloads } from './auto-reload.ts';

const { fixtures, db, request, unchanged, owner: asOwner } = await startHarness();

let fault: Partial<Processor> = {};
const path = topUps(
  db,
  new Proxy(sandbox(db), {
    get: (target, name) => (fault as never)[name] ?? (target as never)[name],
  }),
);
const unknown = async (): Promise<Outcome> => ({ kind: 'unknown', reason: 'test' });
const LIMITS = { minimum: 1, maximum: 500 };
const look = (account: string, limits = LIMITS) => considerAutoReload(db, path, limits, account);

/** Somebody whose balance is watched: below 10.00 their card is charged 25.00, up to 100.00 a month. */
async function watched(
  options: { balance?: string; amount?: number; cap?: number; threshold?: number } = {},
) {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  await fixtures.fund({ userId: user.id }, options.balance ?? '9.99');
  const account = await accountOf(user);
  const usd = (value: number) => value * 1_000_000;
  await db.many(sql`
    insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap, payment_method_id)
    values
      (${account}, true, ${usd(options.threshold ?? 10)}, ${usd(options.amount ?? 25)},
       ${usd(options.cap ?? 100)}, ${card})`);
  return { user, card, account, balance: () => fixtures.balance({ userId: user.id }) };
}

const accountOf = async (user: User) =>
  (await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)).id;

const charges = async (account: string) =>
  (
    await db.many<{ amount: bigint }>(sql`
      select amount from top_up where account_id = ${account} and automatic order by created_at`)
  ).map(({ amount }) => Number(amount) / 1e6);

const pass = (account: string, interval: string) =>
  db.many(sql`
    update top_up set created_at = created_at - ${interval}::interval where account_id = ${account}`);

const spend = (user: User, usd: string) => fixtures.fund({ userId: user.id }, `-${usd}`);

/** Nothing is charged, and nothing changes. */
async function idle(account: string, limits = LIMITS): Promise<void> {
  assert.equal(await unchanged(() => look(account, limits)), undefined);
  assert.ok(!(await dueAutoReloads(db, limits)).includes(account));
}

test('below the threshold the card is charged once, and it is on record as nobody’s request', async () => {
  const { user, card, account, balance } = await watched();
  assert.deepEqual((await dueAutoReloads(db, LIMITS)).includes(account), true);
  assert.equal((await look(account))?.kind, 'settled');
  assert.equal(await balance(), 34_990_000n);
  const row = await db.one(sql`
    select user_id, key_id, payment_method_id, automatic, status from top_up where account_id = ${account}`);
  const expected = {
    user_id: user.id,
    key_id: null,
    payment_method_id: card,
    automatic: true,
    status: 'succeeded',
  };
  assert.deepEqual(row, expected);
  await idle(account);
});

test('at the threshold nothing is charged; what running work holds does not count', async () => {
  const { account } = await watched({ balance: '10.00' });
  await idle(account);
  await asOwner(sql`update billing_account set held = 1 where id = ${account}`);
  assert.equal((await look(account))?.kind, 'settled');
  assert.deepEqual(await charges(account), [25]);
});

test('switched off, paused, of an earlier version or closed: nothing is charged', async () => {
  const { account } = await watched();
  await db.many(sql`update auto_reload set enabled = false where account_id = ${account}`);
  await idle(account);
  await db.many(
    sql`update auto_reload set enabled = true, paused_reason = 'declined' where account_id = ${account}`,
  );
  await idle(account);
  await db.many(sql`
    update auto_reload set paused_reason = null, threshold = null, amount = null, monthly_cap = null
     where account_id = ${account}`);
  await idle(account);
  const closed = await watched({ balance: '0.01' });
  const heir = await accountOf(await fixtures.user());
  await spend(closed.user, '0.01');
  await db.many(
    sql`update billing_account set status = 'closed', successor_id = ${heir} where id = ${closed.account}`,
  );
  await idle(closed.account);
});

test('one charge closes the gap, in whole cents, up to what one top-up may be', async () => {
  const far = await watched({ balance: '-60.123456', cap: 1000 });
  await look(far.account);
  assert.deepEqual(await charges(far.account), [70.13]);
  const farther = await watched({ balance: '-600', cap: 1000 });
  await look(farther.account);
  assert.deepEqual(await charges(farther.account), [500]);
});

test('the last charge of a month is what the cap leaves; below the smallest top-up nothing is charged', async () => {
  const { user, account } = await watched({ cap: 60, amount: 29.5 });
  for (const _ of [1, 2, 3]) {
    await look(account);
    await pass(account, '1 hour');
    await spend(user, (Number(await fixtures.balance({ userId: user.id })) / 1e6 - 5).toFixed(2));
  }
  assert.deepEqual(await charges(account), [29.5, 29.5, 1]);
  await idle(account);
  const low = await watched({ cap: 30 });
  await look(low.account);
  await pass(low.account, '1 hour');
  await spend(low.user, '30');
  await idle(low.account, { minimum: 5.01, maximum: 500 });
  assert.equal((await look(low.account))?.kind, 'settled');
  assert.deepEqual(await charges(low.account), [25, 5]);
});

test('a new month (UTC) begins with the whole cap; a charge that failed never counted', async () => {
  const { user, account } = await watched({ cap: 25 });
  await look(account);
  await spend(user, '30');
  // To the second before this month began.
  const to = (at: string) =>
    db.many(sql`
    update top_up set created_at = date_trunc('month', now(), 'UTC') + ${at}::interval where account_id = ${account}`);
  await db.many(sql`
    update top_up set created_at = greatest(date_trunc('month', now(), 'UTC'), now() - interval '61 minutes')
     where account_id = ${account}`);
  await idle(account);
  await to('-61 minutes');
  assert.equal((await look(account))?.kind, 'settled');

  const failed = await watched({ cap: 25 });
  await db.many(
    sql`update payment_method set token = 'pm_card_chargeDeclined' where id = ${failed.card}`,
  );
  assert.equal((await look(failed.account))?.kind, 'failed');
  await pass(failed.account, '1 hour');
  assert.equal((await look(failed.account))?.kind, 'failed');
});

test('an hour passes between two charges, whatever became of the first; five minutes when nothing was sent', async () => {
  const { user, account } = await watched();
  await look(account);
  await spend(user, '30');
  await pass(account, '59 minutes 50 seconds');
  await idle(account);
  await pass(account, '10 seconds');
  assert.equal((await look(account))?.kind, 'settled');

  const away = await watched();
  fault = { create: async () => ({ kind: 'notExecuted', reason: 'test' }) };
  const unsent = await look(away.account);
  assert.deepEqual([unsent?.kind, unsent?.topUp.failure_code], ['failed', 'not_executed']);
  fault = {};
  await pass(away.account, '4 minutes 50 seconds');
  await idle(away.account);
  await pass(away.account, '10 seconds');
  assert.equal((await look(away.account))?.kind, 'settled');
});

test('while an automatic charge is open there is no other, and it counts against the cap', async () => {
  const { account } = await watched({ cap: 30 });
  fault = { confirm: unknown };
  assert.equal((await look(account))?.kind, 'open');
  fault = {};
  await asOwner(sql`update billing_account set held = 100000000 where id = ${account}`);
  await pass(account, '2 hours');
  await idle(account);
});

test('money that a person is adding just now counts: nobody is charged twice for one gap', async () => {
  const { user, card, account } = await watched();
  const row = await db.one<{ id: string }>(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, processor)
    values (${account}, ${user.id}, 'by hand', ${card}, 1000000, 'sandbox') returning id`);
  await idle(account);
  await db.many(
    sql`update top_up set status = 'failed', failure_code = 'canceled' where id = ${row.id}`,
  );
  assert.equal((await look(account))?.kind, 'settled');
});

test('an identical top-up by hand is left to its request; what is missing still is charged by itself', async () => {
  const { user, card, account } = await watched({ balance: '-20', amount: 25 });
  const byHand = await db.one<{ id: string }>(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, processor)
    values (${account}, ${user.id}, 'by hand', ${card}, 25000000, 'sandbox') returning id`);
  assert.equal((await look(account))?.kind, 'settled');
  assert.deepEqual(await charges(account), [25]);
  assert.deepEqual(
    await db.many(sql`select status, automatic from top_up where id = ${byHand.id}`),
    [{ status: 'created', automatic: false }],
  );
});

test('race: many looks and many workers at once make one charge', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => watched({ balance: '-5' })));
  await Promise.all([
    ...people.flatMap(({ account }) => [look(account), look(account), look(account)]),
    ...Array.from({ length: 5 }, () => runDueAutoReloads(db, path, LIMITS)),
  ]);
  for (const { account, balance } of people) {
    assert.deepEqual(await charges(account), [25]);
    assert.equal(await balance(), 20_000_000n);
  }
});

test('race: two processes that both believe they may charge are stopped by the database', async () => {
  const { user, card, account } = await watched();
  const insert = (amount: number) =>
    db.many(sql`
      insert into top_up (account_id, user_id, request_id, payment_method_id, amount, automatic, processor)
      values (${account}, ${user.id}, 'test', ${card}, ${amount}, true, 'sandbox')`);
  const both = await Promise.allSettled([insert(1_000_000), insert(2_000_000)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('the worker charges who was just switched on, who fell below since, and looks at everybody once a day', async () => {
  const on = await watched({ balance: '1' });
  await db.many(sql`update auto_reload set enabled = false where account_id = ${on.account}`);
  const rich = await watched({ balance: '50' });
  await runDueAutoReloads(db, path, LIMITS);
  assert.deepEqual(await charges(on.account), []);

  assert.equal(
    (
      await request('PUT', '/api/billing/auto-reload', {
        key: on.user.key,
        body: { enabled: true },
      })
    ).status,
    200,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.deepEqual(await charges(on.account), [25]);
  assert.deepEqual(await db.many(sql`select from outbox where topic = 'auto_reload_due'`), []);

  await spend(rich.user, '45');
  await db.many(
    sql`update auto_reload set looked_at = now() - interval '11 seconds' where account_id = ${rich.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.deepEqual(await charges(rich.account), [25]);

  const calm = await watched({ balance: '50' });
  await runDueAutoReloads(db, path, LIMITS);
  await db.many(sql`update payment_method set detached_at = now() where id = ${calm.card}`);
  const paused = () =>
    db.one<{ paused_reason: string }>(
      sql`select paused_reason from auto_reload where account_id = ${calm.account}`,
    );
  await db.many(
    sql`update auto_reload set looked_at = now() - interval '23 hours' where account_id = ${calm.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.equal((await paused()).paused_reason, null);
  await db.many(
    sql`update auto_reload set looked_at = now() - interval '25 hours' where account_id = ${calm.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.equal((await paused()).paused_reason, 'card_lost');
});

test('a worker that fails at one account charges the others, and says so', async () => {
  const [bad, good] = [await watched(), await watched()];
  const torn = {
    ...path,
    drive: (id: string) => (failing.has(id) ? Promise.reject(new Error('test')) : path.drive(id)),
  };
  const failing = new Set<string>();
  const start: typeof path.start = async (tx, request) => {
    const begun = await path.start(tx, request);
    if (request.accountId === bad.account) failing.add(begun.topUp.id);
    return begun;
  };
  await assert.rejects(runDueAutoReloads(db, { ...torn, start }, LIMITS), AggregateError);
  assert.equal(await good.balance(), 34_990_000n);
  assert.deepEqual(await charges(bad.account), [25]);
});
