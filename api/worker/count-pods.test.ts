import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditUsage } from '../billing/audit/usage.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness.ts';
import { claimTurn } from './claim.ts';
import { countPods } from './count-pods.ts';

const { db, fixtures, unchanged } = await startHarness();

/** A pod in this state; one that runs was counted last so many seconds ago. */
async function pod(state: string, ago = 0, uncounted = 0) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '5.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const { id } = await db.one<{ id: string }>(sql`
    insert into pod (task_id, driver, state) values (${task}, 'process', ${state}) returning id`);
  await db.many(sql`
    update pod set counted_until = counted_until - ${ago}::integer * interval '1 second',
                   uncounted_ms = ${uncounted}
     where id = ${id}`);
  return { id, task, owner, project, workspace };
}
const lines = (task: string) =>
  db.many<{ amount: bigint; pod_seconds: bigint }>(sql`
    select amount, pod_seconds from usage_event where task_id = ${task} and kind = 'pod'
     order by id`);
const to = (id: string, state: string) =>
  db.many(sql`update pod set state = ${state} where id = ${id}`);
const ago = (id: string, seconds: number) =>
  db.many(sql`
    update pod set counted_until = now() - ${seconds}::integer * interval '1 second'
     where id = ${id}`);

test('the time in which a pod runs is counted, in whole seconds, and the rest stays', async () => {
  const { id, task, owner, workspace, project } = await pod('running', 90, 2_700);
  await countPods(db, 360_000n);
  const [line, ...more] = await lines(task);
  assert.deepEqual(more, []);
  // A little time passes in the test itself.
  const seconds = line?.pod_seconds ?? 0n;
  assert.ok(seconds >= 92n && seconds < 122n, `${seconds}`);
  // $0.36 an hour are 100,000 nano-USD a second.
  assert.equal(line?.amount, seconds * 100_000n);
  const of = await db.one(sql`
    select user_id, organization_id, project_id from usage_day where task_id = ${task}`);
  assert.deepEqual(of, { user_id: owner.id, organization_id: workspace, project_id: project });
  const { uncounted_ms: rest, counted_until: until } = await db.one<{
    uncounted_ms: bigint;
    counted_until: Date | null;
  }>(sql`select uncounted_ms, counted_until from pod where id = ${id}`);
  assert.ok(rest < 1_000n && until !== null);
  await unchanged(() => countPods(db, 360_000n));
});

test('a pod that rests, is lost or was not started is not counted; what it ran before is', async () => {
  const { id, task } = await pod('creating');
  await unchanged(() => countPods(db, 0n));
  for (const rests of ['paused', 'unknown']) {
    await to(id, 'running');
    await ago(id, 40);
    await to(id, rests);
    await to(id, rests);
    await countPods(db, 0n);
    await unchanged(() => countPods(db, 0n));
  }
  await to(id, 'running');
  await ago(id, 10);
  await to(id, 'destroying');
  await to(id, 'absent');
  await countPods(db, 0n);
  const all = (await lines(task)).map(({ amount, pod_seconds }) => [amount, pod_seconds]);
  const [first, second, third] = all.map(([, seconds]) => Number(seconds));
  assert.deepEqual(
    all.map(([amount]) => amount),
    [0n, 0n, 0n],
  );
  for (const [seconds = 0, least] of [
    [first, 40],
    [second, 40],
    [third, 10],
  ] as const)
    assert.ok(seconds >= least && seconds < least + 30, `${seconds}`);
});

for (const counted of [true, false])
  test(`no one pays for the time without a worker, counted ${counted ? 'before' : 'after'} the take-over`, async () => {
    const { id, task } = await pod('running');
    const claim = (owner: string) => claimTurn(db, { owner, lease: 30_000, deadline: 60_000 });
    await db.many(sql`
      insert into task_turn (task_id, number, kind, source, prompt)
      values (${task}, 1, 'plan', ${`test:${task}`}, 'Do it')`);
    assert.equal((await claim('one that dies'))?.taskId, task);
    await ago(id, 900);
    await db.many(sql`
      update task_turn set lease_until = now() - interval '10 minutes' where task_id = ${task}`);
    if (counted) {
      await countPods(db, 360_000n);
      await unchanged(() => countPods(db, 360_000n));
    }
    assert.equal((await claim('another'))?.takenOver, true);
    // The other one works for a minute and a half.
    await db.many(sql`
      update pod set counted_until = counted_until - interval '90 seconds' where id = ${id}`);
    await countPods(db, 360_000n);
    const all = (await lines(task)).map(({ pod_seconds }) => Number(pod_seconds));
    const seconds = all.reduce((sum, each) => sum + each, 0);
    assert.ok(seconds >= 390 - 1 && seconds < 420, `${all}`);
  });

test('race: many processes count a pod once', async () => {
  const pods = await Promise.all([1, 2, 3].map(() => pod('running', 600)));
  await Promise.all(Array.from({ length: 12 }, () => countPods(db, 1_000_000n)));
  for (const { task } of pods) assert.equal((await lines(task)).length, 1);
  assert.deepEqual(await db.transaction(auditUsage), []);
});

test('a pod whose project no one owns costs no one', async () => {
  const { project, task } = await pod('running', 600);
  await db.many(sql`update project set organization_id = null where id = ${project}`);
  await countPods(db, 1_000_000n);
  assert.deepEqual(await lines(task), []);
  await unchanged(() => countPods(db, 1_000_000n));
});
