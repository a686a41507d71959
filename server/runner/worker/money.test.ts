import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { claimTurn, type Turn } from './claim.ts';
import { endTurn } from './end-turn.ts';
import { LostLease } from './lease.ts';
import { turnMoney } from './money.ts';
import { SLICE } from './payer.ts';
import type { TurnRunner } from './runner.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, unchanged } = harness;
const tasks = workersOn(harness);

const CENT = 10_000_000n; // nano-USD

const account = (organizationId: string) =>
  db.one<{ balance: bigint; held: bigint; status: string }>(sql`
    select balance, held, status from billing_account where organization_id = ${organizationId}`);

/** Also that what each turn is said to have cost is the sum of its usage. */
const assertAgrees = async () => assert.deepEqual((await auditLedger(db)).violations, []);

/** An agent that costs so many cents, one at a time. */
const costing =
  (cents: number): TurnRunner['run'] =>
  async (_, { charge }) => {
    for (let i = 0; i < cents; i++) await charge(CENT);
    return { text: 'Done' };
  };

test('what a turn costs is taken from the workspace once, and nothing stays held', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(123));
  await tasks.untilTurn(turn, 'done');
  assert.deepEqual(await account(workspace), { balance: 8_770_000n, held: 0n, status: 'active' });
  await assertAgrees();
});

test('a personal project is paid by its owner', async () => {
  const owner = await fixtures.user();
  await fixtures.fund({ userId: owner.id }, '1.00');
  const id = await fixtures.task(await fixtures.project({ userId: owner.id }), owner);
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(7));
  await tasks.untilTurn(turn, 'done');
  assert.equal(await fixtures.balance({ userId: owner.id }), 930_000n);
  await assertAgrees();
});

test('without funds the task pauses before its agent starts, and goes on by itself when they arrive', async () => {
  const { id, workspace } = await tasks.task({ balance: '0.49' });
  const turn = await tasks.queue(id, 'prompt');
  let started = 0;
  tasks.worker(async () => {
    started += 1;
    return { text: 'Done' };
  });
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'insufficient_funds' });
  assert.equal(started, 0);
  await fixtures.fund({ organizationId: workspace }, '0.01');
  await tasks.untilTurn(turn, 'done');
  assert.equal(started, 1);
  assert.equal((await account(workspace)).held, 0n);
});

test('funds that end during a turn stop its agent, and there is no debt', async () => {
  const { id, workspace } = await tasks.task({ balance: '1.20' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(1_000));
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'insufficient_funds' });
  assert.equal((await tasks.turn(turn)).state, 'interrupted');
  const { balance, held, status } = await account(workspace);
  assert.ok(balance >= 0n && balance < 500_000n, `${balance}`);
  assert.deepEqual([held, status], [0n, 'active']);
  await assertAgrees();
});

for (const whose of ['task', 'project'] as const)
  test(`the cap of a ${whose} stops its agent exactly there`, async () => {
    const { id, workspace } = await tasks.task({ balance: '10.00' });
    await db.many(
      whose === 'task'
        ? sql`update task set spend_cap = 770000 where id = ${id}`
        : sql`
          update project set spend_cap = 770000
           where id = (select project_id from task where id = ${id})`,
    );
    await tasks.queue(id, 'prompt');
    tasks.worker(costing(1_000));
    await tasks.untilStatus(id, 'paused');
    assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'spend_cap' });
    assert.deepEqual(await account(workspace), { balance: 9_230_000n, held: 0n, status: 'active' });
    await assertAgrees();
  });

test('a project without an owner does not start its agent', async () => {
  const { id } = await tasks.task();
  await db.many(sql`
    update project set organization_id = null
     where id = (select project_id from task where id = ${id})`);
  await tasks.queue(id, 'prompt');
  tasks.worker(costing(1));
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual(await tasks.status(id), { status: 'paused', reason: 'account_not_active' });
});

test('race: many tasks of one workspace spend at once, and never more than it has', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '3.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const ids = await Promise.all(Array.from({ length: 6 }, () => fixtures.task(project, owner)));
  for (const id of ids) await tasks.queue(id, 'prompt');
  tasks.worker(costing(90), { concurrency: 3 });
  tasks.worker(costing(90), { concurrency: 3 });
  // One that has paused goes on as soon as what another one had held is enough for it.
  await until('all are done or have too little to go on', async () => {
    const open = await db.many(sql`
      select id from task where id = any(${ids}::uuid[]) and status not in ('ready', 'paused')`);
    const { balance, held } = await account(workspace);
    return open.length === 0 && held === 0n && balance < SLICE;
  });
  const { balance, held, status } = await account(workspace);
  assert.ok(balance >= 0n, `${balance}`);
  assert.deepEqual([held, status], [0n, 'active']);
  await assertAgrees();
});

test('what a turn has used since its last slice is settled while it goes on', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(
    async (_, { charge, signal }) => {
      await charge(CENT);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    },
    { times: { settle: 100 } },
  );
  await until('it is settled', async () => (await account(workspace)).balance === 9_990_000n);
  assert.equal((await account(workspace)).held, 500_000n);
  await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
  await tasks.untilTurn(turn, 'cancelled');
  assert.deepEqual(await account(workspace), { balance: 9_990_000n, held: 0n, status: 'active' });
  await assertAgrees();
});

test('a worker that lost its turn charges nothing more, and its hold is replaced', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  const turnId = await tasks.queue(id, 'prompt');
  const turn = (await claimTurn(db, { owner: 'gone', lease: 60_000, deadline: 60_000 })) as Turn;
  assert.equal(turn.turnId, turnId);
  const money = turnMoney(db, turn, { lost: () => false });
  await money.begin();
  await money.charge(CENT);
  await db.many(sql`update task_turn set lease_until = now() where id = ${turnId}`);
  tasks.worker(costing(2));
  await tasks.untilPublished(turnId);
  await unchanged(async () => {
    await assert.rejects(money.charge(CENT), LostLease);
    await assert.rejects(money.settle(), LostLease);
  });
  assert.deepEqual(await account(workspace), { balance: 9_970_000n, held: 0n, status: 'active' });
  await assertAgrees();
});

/** A turn that has held what its model may cost, and whose task is deleted before the answer ends. */
async function deletedMeanwhile(balance: string) {
  const { id, owner, workspace } = await tasks.task({ balance });
  await tasks.queue(id, 'prompt');
  const turn = (await claimTurn(db, { owner: 'w', lease: 60_000, deadline: 60_000 })) as Turn;
  const money = turnMoney(db, turn, { lost: () => false });
  await money.begin();
  await money.charge(CENT);
  const reserved = await money.reserve(CENT, 20n * CENT, new AbortController().signal);
  const { status } = await harness.request('DELETE', `/api/tasks/${id}`, { key: owner.key });
  assert.equal(status, 200);
  return { id, owner, workspace, turn, money, reserved };
}

test('what a model has cost as its task was deleted is charged, once, to where the task was', async () => {
  const { id, owner, workspace, turn, money, reserved } = await deletedMeanwhile('10.00');
  assert.deepEqual(await account(workspace), { balance: 9_990_000n, held: 0n, status: 'active' });
  const counted = { model: 'sandbox', inputTokens: 7, outputTokens: 9 };
  await assert.rejects(money.charge(12n * CENT, counted, reserved), LostLease);
  assert.deepEqual(await account(workspace), { balance: 9_870_000n, held: 0n, status: 'active' });
  // More than its slice is a slice that it cannot hold any more.
  await assert.rejects(money.charge(60n * CENT), LostLease);
  assert.deepEqual(await account(workspace), { balance: 9_270_000n, held: 0n, status: 'active' });
  const days = await db.many(sql`
    select task_id, project_id, user_id, sum(amount)::bigint / 10000000 as cents,
           sum(input_tokens)::int as input, sum(output_tokens)::int as output
      from usage_day where task_id = ${id} group by 1, 2, 3`);
  assert.deepEqual(days, [
    {
      task_id: id,
      project_id: turn.projectId,
      user_id: owner.id,
      cents: 73n,
      input: 7,
      output: 9,
    },
  ]);
  await assertAgrees();
});

test('what was free of the balance as a task was deleted bounds what is charged: no debt is left', async () => {
  const { workspace, money, reserved } = await deletedMeanwhile('0.60');
  await assert.rejects(money.charge(60n * CENT, {}, reserved), LostLease);
  assert.deepEqual(await account(workspace), { balance: 0n, held: 0n, status: 'active' });
  await unchanged(() => assert.rejects(money.charge(CENT), LostLease));
  await assertAgrees();
});

test('the cap of the project and a limit of the month bound what is charged of a deleted task', async () => {
  for (const bound of [
    (project: string) => sql`update project set spend_cap = 80000 where id = ${project}`,
    (_: string, workspace: string) => sql`
      insert into spend_limit (account_id, amount)
      select id, 80000 from billing_account where organization_id = ${workspace}`,
  ]) {
    const { workspace, turn, money, reserved } = await deletedMeanwhile('10.00');
    await db.many(bound(turn.projectId, workspace));
    await assert.rejects(money.charge(12n * CENT, {}, reserved), LostLease);
    assert.deepEqual(await account(workspace), { balance: 9_920_000n, held: 0n, status: 'active' });
    await unchanged(() => assert.rejects(money.charge(CENT), LostLease));
  }
  await assertAgrees();
});

test('a cost that was recorded is found by the audit when its turn does not know it', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id, 'prompt');
  tasks.worker(costing(2));
  await tasks.untilTurn(turn, 'done');
  await db.many(sql`update task_turn set spent_nano = spent_nano + 1 where id = ${turn}`);
  const { violations } = await auditLedger(db);
  assert.deepEqual(
    violations.map(({ rule }) => rule),
    ['turn_cost_is_its_usage'],
  );
});

test('a slice that is asked for while its turn ends is not held afterwards', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  await tasks.queue(id, 'prompt');
  const turn = (await claimTurn(db, { owner: 'w', lease: 60_000, deadline: 60_000 })) as Turn;
  const money = turnMoney(db, turn, { lost: () => false });
  await money.begin();
  await money.charge(CENT);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const ending = db.transaction(async (tx) => {
    await endTurn(tx, turn, { state: 'done', text: 'Done' }, async () => {});
    begin();
    await ended;
  });
  await begun;
  const settled = money.settle();
  settled.catch(() => {});
  await until('the slice waits for the task', async () => {
    const waiting = await harness.owner(sql`
      select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting.length > 0;
  });
  end();
  await ending;
  await assert.rejects(settled, LostLease);
  assert.deepEqual(await account(workspace), { balance: 9_990_000n, held: 0n, status: 'active' });
});
