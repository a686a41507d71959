import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enterMode } from '../../billing/mode/enter-mode.ts';
import { sql } from '../../db/sql.ts';
import { usageOn } from '../../testing/fixtures/billing/usage.ts';
import { builtTurns } from '../../testing/fixtures/tasks/built-turns.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const { use } = usageOn(harness);

const estimate = (task: string, { key }: User) =>
  request('GET', `/api/tasks/${task}/plan/estimate`, { key });

/** A task of this project whose plan waits, with a model. */
async function task(project: string, by: User, model: string | null = 'sandbox'): Promise<string> {
  const id = await fixtures.task(project, by);
  await fixtures.revision(id);
  await db.many(sql`update task set model = ${model} where id = ${id}`);
  return id;
}

const built = (...of: [task: string, costs: bigint[], state?: 'failed']) => builtTurns(db, ...of);

/** Usage of a task's agent, with the model that it had. */
const used = (taskId: string, model: string) => use(taskId, null, { nano: 1, model });

async function place(balance = '25.00') {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance });
  const project = await fixtures.project({ organizationId: workspace });
  return { owner, workspace, project };
}

const cents = (...amounts: number[]) => amounts.map((amount) => BigInt(amount) * 10_000_000n);

test('200: quantiles of what builds of the project have cost, with the balance and the cap', async () => {
  const { owner, project } = await place();
  await built(await task(project, owner), cents(10, 20, 30, 40, 50, 60, 70, 80, 90, 100));
  // What failed, what only planned and what had another model is left out.
  await built(await task(project, owner), cents(9_000), 'failed');
  await built(await task(project, owner, 'other'), cents(9_000));
  const id = await task(project, owner);
  await db.many(sql`update task set spend_cap = 500000 where id = ${id}`);
  await fixtures.turn(id, { state: 'done' });
  await db.many(sql`update task_turn set spent_nano = 12345 where task_id = ${id}`);
  const { status, body } = await estimate(id, owner);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    task_id: id,
    basis: 'project',
    count: 10,
    model: 'sandbox',
    low: '0.20',
    likely: '0.50',
    high: '0.90',
    available: '25.00',
    spent: '0.000013',
    cap: '0.50',
    suggested_cap: '0.91',
  });
});

test('200: without builds in the project, those of the workspace count; of strangers, none', async () => {
  const mine = await place();
  const other = await fixtures.project({ organizationId: mine.workspace });
  await built(await task(other, mine.owner), cents(30));
  const stranger = await place();
  await built(await task(stranger.project, stranger.owner), cents(9_000));
  const { body } = await estimate(await task(mine.project, mine.owner), mine.owner);
  assert.deepEqual([body.basis, body.count, body.high], ['account', 1, '0.30']);
  const alone = await place();
  const none = (await estimate(await task(alone.project, alone.owner), alone.owner)).body;
  assert.deepEqual(
    [none.basis, none.count, none.low, none.likely, none.high, none.suggested_cap, none.cap],
    ['no_history', 0, null, null, null, null, null],
  );
  assert.equal(none.available, '25.00');
});

test('200: a turn counts for the model that it had, whatever its task names now', async () => {
  const { owner, project } = await place();
  const [first, second, mixed] = [
    await task(project, owner, 'other'),
    await task(project, owner),
    await task(project, owner),
  ];
  await built(first, cents(10));
  await used(first, 'sandbox');
  await built(second, cents(9_000));
  await used(second, 'other');
  // No one knows which of its turns had which.
  await built(mixed, cents(9_000));
  await used(mixed, 'other');
  await used(mixed, 'sandbox');
  // A task without a model has that of its project, or of the catalog.
  const { body } = await estimate(await task(project, owner, null), owner);
  assert.deepEqual([body.model, body.count, body.high], ['sandbox', 1, '0.10']);
});

test('200: of more than 200 turns, the newest 200 count', async () => {
  const { owner, project } = await place();
  const id = await task(project, owner);
  await built(id, [...cents(...Array(50).fill(9_000)), ...cents(...Array(250).fill(5))]);
  const { body } = await estimate(await task(project, owner), owner);
  assert.deepEqual([body.count, body.high], [200, '0.05']);
});

test('200: the person of a personal project sees the estimate from their own account', async () => {
  const owner = await fixtures.user();
  await fixtures.fund({ userId: owner.id }, '3.00');
  const project = await fixtures.project({ userId: owner.id });
  await built(await task(project, owner), cents(25));
  const { body } = await estimate(await task(project, owner), owner);
  assert.deepEqual([body.basis, body.high, body.available], ['project', '0.25', '3.00']);
});

test('403: who may not see the balance, an admin of the project alone included', async () => {
  const { owner, workspace, project } = await place();
  const id = await task(project, owner);
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  assert.equal((await estimate(id, admin)).status, 200);
  for (const role of ['member', 'viewer'] as const) {
    const person = await fixtures.user();
    await fixtures.member(workspace, person, role);
    assert.equal((await estimate(id, person)).status, 403);
    await fixtures.grant(project, person, 'admin');
    assert.equal((await estimate(id, person)).status, 403, `a ${role} who is admin of the project`);
    const plan = await request('GET', `/api/tasks/${id}/plan`, { key: person.key });
    assert.ok(!plan.body.available_actions.includes('get_plan_estimate'));
  }
  assert.equal((await estimate(id, await fixtures.user())).status, 403);
});

test('200: while billing is off there is none', async () => {
  const { owner, project } = await place();
  await built(await task(project, owner), cents(10));
  const id = await task(project, owner);
  await enterMode(db, { mode: 'off', testMoney: false });
  const { body } = await estimate(id, owner);
  assert.deepEqual(
    [body.basis, body.count, body.high, body.available],
    ['billing_off', 0, null, null],
  );
});
