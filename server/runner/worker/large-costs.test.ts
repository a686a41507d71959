import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { TurnRunner } from './runner.ts';

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const tasks = workersOn(harness);

const DOLLAR = 1_000_000_000n; // nano-USD

const account = (organizationId: string) =>
  db.one<{ balance: bigint; held: bigint; status: string }>(sql`
    select balance, held, status from billing_account where organization_id = ${organizationId}`);

const spent = async (taskId: string) =>
  (
    await db.one<{ nano: bigint }>(sql`
      select coalesce(sum(spent_nano), 0)::bigint as nano
        from task_turn where task_id = ${taskId}`)
  ).nano;

const assertAgrees = async () => assert.deepEqual((await auditLedger(db)).violations, []);

/** An agent that reports these costs, in nano-USD, one after the other. */
const costing =
  (...costs: bigint[]): TurnRunner['run'] =>
  async (_, { charge }) => {
    for (const cost of costs) await charge(cost);
    return { text: 'Done' };
  };

test('one report of more than the balance takes the balance and leaves no debt', async () => {
  for (const cost of [250n * DOLLAR, 999_999n * DOLLAR, 1_200_000_001n]) {
    const { id, workspace } = await tasks.task({ balance: '1.20' });
    await tasks.queue(id, 'prompt');
    const worker = tasks.worker(costing(cost));
    await tasks.untilStatus(id, 'paused');
    await worker.close();
    assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'insufficient_funds' });
    assert.deepEqual(await account(workspace), { balance: 0n, held: 0n, status: 'active' });
    assert.equal(await spent(id), 1_200_000_000n);
    await assertAgrees();
  }
});

test('one report of more than a slice is charged whole where the balance covers it', async () => {
  const { id, workspace } = await tasks.task({ balance: '3.00' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(100_000_000n, 2n * DOLLAR, 300_000_001n));
  await tasks.untilTurn(turn, 'done');
  assert.deepEqual(await account(workspace), { balance: 600_000n, held: 0n, status: 'active' });
  assert.equal(await spent(id), 2_400_000_001n);
  await assertAgrees();
});

for (const whose of ['task', 'project'] as const)
  test(`one report of more than the cap of its ${whose} is charged up to the cap`, async () => {
    const { id, workspace } = await tasks.task({ balance: '10.00' });
    await db.many(
      whose === 'task'
        ? sql`update task set spend_cap = 10000 where id = ${id}`
        : sql`
          update project set spend_cap = 10000
           where id = (select project_id from task where id = ${id})`,
    );
    await tasks.queue(id, 'prompt');
    tasks.worker(costing(1_234_000n, 2n * DOLLAR));
    await tasks.untilStatus(id, 'paused');
    assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'spend_cap' });
    assert.deepEqual(await account(workspace), { balance: 9_990_000n, held: 0n, status: 'active' });
    assert.equal(await spent(id), 10_000_000n);
    await assertAgrees();
  });

test('fractions of a micro-dollar do not take a task above its cap', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  await db.many(sql`update task set spend_cap = 10000 where id = ${id}`);
  await tasks.queue(id, 'prompt');
  tasks.worker(costing(1_234_567n, 1_234_567n, 2n * DOLLAR));
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'spend_cap' });
  const nano = await spent(id);
  assert.ok(nano > 9_999_000n && nano <= 10_000_000n, `${nano}`);
  const { balance } = await account(workspace);
  assert.ok(balance >= 9_990_000n && balance <= 9_990_001n, `${balance}`);
  await assertAgrees();
});

test('an agent that goes on reporting after its turn was stopped is charged nothing more', async () => {
  const { id, workspace } = await tasks.task({ balance: '1.20' });
  await tasks.queue(id, 'prompt');
  tasks.worker(async (_, { charge }) => {
    await Promise.all([charge(5n * DOLLAR), charge(DOLLAR), charge(1n)]);
    return { text: 'Done' };
  });
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual(await account(workspace), { balance: 0n, held: 0n, status: 'active' });
  await assertAgrees();
});

for (const cap of [undefined, 2_500_000])
  test(`race: turns of one account ${cap ? 'and a capped project ' : ''}report large costs at once`, async () => {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '4.00' });
    const project = await fixtures.project({ organizationId: workspace });
    if (cap !== undefined)
      await db.many(sql`update project set spend_cap = ${cap} where id = ${project}`);
    const ids = await Promise.all(Array.from({ length: 4 }, () => fixtures.task(project, owner)));
    for (const id of ids) await tasks.queue(id, 'prompt');
    let started = 0;
    const run: TurnRunner['run'] = async (turn, work) => {
      started += 1;
      await until('another is at work', async () => started >= 2);
      return costing(10_000_001n, 60n * DOLLAR)(turn, work);
    };
    tasks.worker(run, { concurrency: 2 });
    tasks.worker(run, { concurrency: 2 });
    await until('all are paused', async () => {
      const open = await db.many(sql`
        select id from task where id = any(${ids}::uuid[]) and status <> 'paused'`);
      return open.length === 0;
    });
    // The first to pause may leave less than a slice, which no turn then takes.
    const { balance, held, status } = await account(workspace);
    const least = cap === undefined ? 0n : 1_500_000n;
    assert.ok(balance >= least, `${balance}`);
    assert.deepEqual([held, status], [0n, 'active']);
    await assertAgrees();
  });
