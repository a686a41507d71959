import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { autoReloadFixtures, LIMITS } from '../../testing/fixtures/billing/auto-reload.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { runDueAutoReloads } from './run-due.ts';

const harness = await startHarness();
const { db, request } = harness;
const { path, recharged, check, charges, spend } = autoReloadFixtures(harness);

test('race: many checks and many runs at once make one charge', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => recharged({ balance: '-5' })));
  await Promise.all([
    ...people.flatMap(({ account }) => [check(account), check(account), check(account)]),
    ...Array.from({ length: 5 }, () => runDueAutoReloads(db, path, LIMITS)),
  ]);
  for (const { account, balance } of people) {
    assert.deepEqual(await charges(account), [25]);
    assert.equal(await balance(), 20_000_000n);
  }
});

test('a run charges what was just switched on and what fell below since, and checks every account once a day', async () => {
  const on = await recharged({ balance: '1' });
  await db.many(sql`update auto_reload set enabled = false where account_id = ${on.account}`);
  const rich = await recharged({ balance: '50' });
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
    sql`
      update auto_reload set looked_at = now() - interval '11 seconds'
        where account_id = ${rich.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.deepEqual(await charges(rich.account), [25]);

  const calm = await recharged({ balance: '50' });
  await runDueAutoReloads(db, path, LIMITS);
  await db.many(sql`update payment_method set detached_at = now() where id = ${calm.card}`);
  const paused = () =>
    db.one<{ paused_reason: string }>(
      sql`select paused_reason from auto_reload where account_id = ${calm.account}`,
    );
  await db.many(
    sql`
      update auto_reload set looked_at = now() - interval '23 hours'
        where account_id = ${calm.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.equal((await paused()).paused_reason, null);
  await db.many(
    sql`
      update auto_reload set looked_at = now() - interval '25 hours'
        where account_id = ${calm.account}`,
  );
  await runDueAutoReloads(db, path, LIMITS);
  assert.equal((await paused()).paused_reason, 'card_lost');
});

test('a run that fails at one account charges the others and reports the failure', async () => {
  const [bad, good] = [await recharged(), await recharged()];
  const failingPath = {
    ...path,
    advance: (id: string) =>
      failing.has(id) ? Promise.reject(new Error('test')) : path.advance(id),
  };
  const failing = new Set<string>();
  const start: typeof path.start = async (tx, request) => {
    const begun = await path.start(tx, request);
    if (request.accountId === bad.account) failing.add(begun.topUp.id);
    return begun;
  };
  await assert.rejects(runDueAutoReloads(db, { ...failingPath, start }, LIMITS), AggregateError);
  assert.equal(await good.balance(), 34_990_000n);
  assert.deepEqual(await charges(bad.account), [25]);
});
