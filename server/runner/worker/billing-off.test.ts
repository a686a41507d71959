import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { settleUsage } from '../../billing/ledger/usage.ts';
import { enterMode } from '../../billing/mode/enter-mode.ts';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { TurnRunner } from './runner.ts';

const harness = await startHarness({ env: { BILLING: 'off' } });
const { db, request } = harness;
const tasks = workersOn(harness);

const CENT = 10_000_000n; // nano-USD
const OFF = { mode: 'off', testMoney: false } as const;
const CREDITS = { mode: 'credits', testMoney: false } as const;
await enterMode(db, OFF);

const costing =
  (cents: number): TurnRunner['run'] =>
  async (_, { charge }) => {
    for (let i = 0; i < cents; i++) await charge(CENT);
    return { text: 'Done' };
  };
const status = (id: string) =>
  db.one<{ status: string; status_reason: string | null }>(
    sql`select status, status_reason from task where id = ${id}`,
  );
const account = (organizationId: string) =>
  db.one<{ balance: bigint; held: bigint; status: string }>(sql`
    select balance, held, status from billing_account where organization_id = ${organizationId}`);
const assertAgrees = async () => assert.deepEqual((await auditLedger(db)).violations, []);

test('without a cent a task is carried out, its costs are counted and shown, and nothing is charged', async () => {
  const { id, workspace, owner } = await tasks.task({ balance: '0.01' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(123));
  await tasks.untilTurn(turn, 'done');
  await settleUsage(db);
  assert.deepEqual(await account(workspace), { balance: 10_000n, held: 0n, status: 'active' });
  const task = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  assert.equal(task.body.spend.amount, '1.23');
  const day = new Date().toISOString().slice(0, 10);
  const path = `/api/organizations/${workspace}/usage?from=${day}&to=${day}`;
  const usage = await request('GET', path, { key: owner.key });
  assert.equal(usage.body.total.amount, '1.23');
  await assertAgrees();
});

test('a debt from before keeps no task from working', async () => {
  const { id, workspace } = await tasks.task({ balance: '-2.00' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(3));
  await tasks.untilTurn(turn, 'done');
  assert.equal((await account(workspace)).balance, -2_000_000n);
});

test('a cap of the task still holds', async () => {
  const { id } = await tasks.task({ balance: '0.01' });
  await db.many(sql`update task set spend_cap = 300000 where id = ${id}`);
  await tasks.queue(id, 'prompt');
  tasks.worker(costing(90));
  await until('the task pauses', async () => (await status(id)).status === 'paused');
  assert.equal((await status(id)).status_reason, 'spend_cap');
  const { spent } = await db.one<{ spent: bigint }>(sql`
    select sum(spent_nano)::bigint as spent from task_turn where task_id = ${id}`);
  assert.equal(spent, 30n * CENT);
  await assertAgrees();
});

test('a limit of the month holds for two tasks at once', async () => {
  const { id, workspace, owner } = await tasks.task({ balance: '0.01' });
  const { project_id } = await db.one<{ project_id: string }>(
    sql`select project_id from task where id = ${id}`,
  );
  const second = await harness.fixtures.task(project_id, owner);
  const limits = { limits: [{ subject: 'balance', amount: '1.00' }] };
  const path = `/api/organizations/${workspace}/billing/spend-limits`;
  assert.equal((await request('PUT', path, { key: owner.key, body: limits })).status, 200);
  for (const each of [id, second]) await tasks.queue(each, 'prompt');
  tasks.worker(costing(500), { concurrency: 2 });
  for (const each of [id, second])
    await until('it pauses', async () => (await status(each)).status_reason === 'spend_limit');
  const { spent } = await db.one<{ spent: bigint }>(sql`
    select sum(amount)::bigint as spent from usage_event e
      join billing_account a on a.id = e.account_id where a.organization_id = ${workspace}`);
  assert.equal(spent, 100n * CENT);
  await assertAgrees();
});

test('once credits are needed, what was used before is never charged, and a running task holds nothing more', async () => {
  const { id, workspace } = await tasks.task({ balance: '0.01' });
  await tasks.queue(id, 'prompt');
  let used = 0;
  let go = () => {};
  const switched = new Promise<void>((resolve) => {
    go = resolve;
  });
  tasks.worker(async (_, { charge }) => {
    for (; used < 20; used++) await charge(CENT);
    await switched;
    for (; used < 200; used++) await charge(CENT);
    return { text: 'Done' };
  });
  await until('it has cost 0.20', () => used === 20);
  await enterMode(db, CREDITS);
  go();
  await until('it pauses', async () => (await status(id)).status_reason === 'insufficient_funds');
  await settleUsage(db);
  // The cent that was there has paid for one more.
  assert.deepEqual(await account(workspace), { balance: 0n, held: 0n, status: 'active' });
  const lines = await db.many(sql`
    select e.charged, sum(e.amount)::bigint as nano
      from usage_event e join billing_account a on a.id = e.account_id
     where a.organization_id = ${workspace} group by 1 order by 1`);
  assert.deepEqual(lines, [
    { charged: false, nano: 20n * CENT },
    { charged: true, nano: CENT },
  ]);
  await assertAgrees();
});
