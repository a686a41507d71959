import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditUsage } from '../../billing/audit/usage.ts';
import { DatabaseUnavailable, openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { PodState } from '../../platform/pods/pod.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { countPods, seePods } from './count-pods.ts';

const { db, databaseUrl, fixtures, unchanged } = await startHarness({ own: true });

/** A pod in this state; one that runs was seen last so many seconds ago. */
async function pod(state: string, { seen = 0, uncounted = 0 } = {}) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '5.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const { id } = await db.one<{ id: string }>(sql`
    insert into pod (task_id, driver, state) values (${task}, 'process', ${state}) returning id`);
  await db.many(sql`update pod set uncounted_ms = ${uncounted} where id = ${id}`);
  await notSeenFor(id, seen);
  return { id, task, owner, project, workspace };
}
const notSeenFor = (id: string, ago: number) =>
  db.many(sql`
    update pod set counted_until = counted_until - ${ago}::integer * interval '1 second'
     where id = ${id}`);
const lines = (task: string) =>
  db.many<{ amount: bigint; pod_seconds: bigint }>(sql`
    select amount, pod_seconds from usage_event where task_id = ${task} and kind = 'pod'
     order by id`);
const to = (id: string, state: string) =>
  db.many(sql`update pod set state = ${state} where id = ${id}`);
const uncounted = async (id: string) =>
  Number(
    (await db.one<{ ms: bigint }>(sql`select uncounted_ms as ms from pod where id = ${id}`)).ms,
  );
/** A driver in which pods are so. */
const where = (state: PodState) => ({
  name: 'process' as const,
  find: async (id: string) => ({ id, state, externalId: undefined, reason: undefined }),
});
const AT_ONCE = 0;

test('the time for which a pod was seen to run is counted, in whole seconds, and the rest stays', async () => {
  const { id, task, owner, workspace, project } = await pod('running', { uncounted: 92_700 });
  await countPods(db, 360_000n);
  // $0.36 an hour are 100,000 nano-USD a second.
  assert.deepEqual(await lines(task), [{ amount: 9_200_000n, pod_seconds: 92n }]);
  const of = await db.one(sql`
    select user_id, organization_id, project_id from usage_day where task_id = ${task}`);
  assert.deepEqual(of, { user_id: owner.id, organization_id: workspace, project_id: project });
  assert.equal(await uncounted(id), 700);
  await unchanged(() => countPods(db, 360_000n));
});

test('what runs is counted about once a minute, what rests at once', async () => {
  const runs = await pod('running', { uncounted: 59_000 });
  const rests = await pod('paused', { uncounted: 1_000 });
  await countPods(db, 0n);
  assert.deepEqual([(await lines(runs.task)).length, (await lines(rests.task)).length], [0, 1]);
});

test('a pod that is seen to run has run since it was seen last, for 30 seconds at most', async () => {
  for (const [ago, least] of [
    [12, 12],
    [600, 30],
  ] as const) {
    const { id } = await pod('running', { seen: ago });
    await seePods(db, where('running'), AT_ONCE);
    const ms = await uncounted(id);
    assert.ok(ms >= least * 1_000 && ms <= Math.min(30_000, ago * 1_000 + 9_000), `${ms}`);
  }
});

test('no one pays for the time in which nothing runs in a pod, or no one knows of it', async () => {
  const { id } = await pod('running', { seen: 3_600 });
  for (const state of ['absent', 'unknown', 'failed'] as const)
    await unchanged(() => seePods(db, where(state), AT_ONCE));
  const silent = { name: 'process' as const, find: () => Promise.reject(new Error('silent')) };
  await unchanged(() => seePods(db, silent, AT_ONCE));
  await unchanged(() => seePods(db, { ...where('running'), name: 'docker' }, AT_ONCE));
  await to(id, 'paused');
  assert.equal(await uncounted(id), 30_000);
});

test('a pod that rests since its worker has ended is shown so, and the time since is no one’s', async () => {
  const { id, task } = await pod('running', { seen: 25, uncounted: 400 });
  // To the microsecond, as PostgreSQL has it.
  await db.many(sql`update pod set started_at = '2026-11-21 08:15:31.456789+00' where id = ${id}`);
  const stateOf = () =>
    db.one(sql`select state, uncounted_ms::int as ms from pod where id = ${id}`);
  // Not while a turn uses it: its worker, or the next one, knows what it is.
  await db.many(sql`
    insert into task_turn (task_id, number, kind, source, prompt, state, mode, owner, lease_until)
    values (${task}, 1, 'prompt', 'test', 'x', 'running', 'plan', 'a', now())`);
  const rowOf = () => db.one(sql`select to_jsonb(pod) as row from pod where id = ${id}`);
  const before = await rowOf();
  await seePods(db, where('paused'), AT_ONCE);
  assert.deepEqual(await rowOf(), before);
  await db.many(sql`
    update task_turn set state = 'failed', error = 'x', owner = null, lease_until = null,
                         ended_at = now() where task_id = ${task}`);
  await seePods(db, where('paused'), AT_ONCE);
  assert.deepEqual(await stateOf(), { state: 'paused', ms: 400 });
});

test('a pod that was seen lately is not asked for again', async () => {
  await pod('running');
  const silent = { name: 'process' as const, find: () => assert.fail('asked') };
  assert.equal(await seePods(db, silent, 3_600_000), 0);
});

test('a pod that rests, is lost or was not started is not counted; what it ran before is', async () => {
  const { id, task } = await pod('creating');
  await countPods(db, 0n); // Those of the tests before.
  await unchanged(() => countPods(db, 0n));
  for (const rests of ['paused', 'unknown']) {
    await to(id, 'running');
    await notSeenFor(id, 20);
    await to(id, rests);
    await to(id, rests);
    await countPods(db, 0n);
    await unchanged(() => countPods(db, 0n));
  }
  await to(id, 'running');
  await notSeenFor(id, 10);
  await to(id, 'destroying');
  await to(id, 'absent');
  await countPods(db, 0n);
  const all = (await lines(task)).map(({ amount, pod_seconds }) => [amount, Number(pod_seconds)]);
  for (const [i, least] of [20, 20, 10].entries()) {
    const [amount, seconds = 0] = (all[i] ?? []) as [bigint, number];
    assert.ok(amount === 0n && seconds >= least && seconds <= 30, `${all}`);
  }
});

test('race: many processes see and count a pod once', async () => {
  const pods = await Promise.all([1, 2, 3].map(() => pod('running', { seen: 25 })));
  await Promise.all(Array.from({ length: 12 }, () => seePods(db, where('running'), 20_000)));
  for (const { id } of pods) assert.ok((await uncounted(id)) < 35_000, `${await uncounted(id)}`);
  await Promise.all(Array.from({ length: 12 }, () => countPods(db, 1_000_000n, 1_000)));
  for (const { task } of pods) assert.equal((await lines(task)).length, 1);
  assert.deepEqual(await db.transaction(auditUsage), []);
});

test('a pod that stays locked does not keep others from being counted', async (t) => {
  const locked = await pod('paused', { uncounted: 3_000 });
  const other = await pod('paused', { uncounted: 2_000 });
  const impatient = openDatabase({ url: databaseUrl, lockTimeout: 100 });
  t.after(() => impatient.close());
  const uncountedOf = () => Promise.all([locked, other].map(({ id }) => uncounted(id)));
  await db.transaction(async (tx) => {
    await tx.many(sql`select from pod where id = ${locked.id} for update`);
    await assert.rejects(countPods(impatient, 0n), DatabaseUnavailable);
    assert.deepEqual(await uncountedOf(), [3_000, 0]);
  });
  await countPods(db, 0n);
  assert.deepEqual(await uncountedOf(), [0, 0]);
});

test('a pod whose project no one owns costs no one', async () => {
  const { project, task } = await pod('running', { uncounted: 600_000 });
  await db.many(sql`update project set organization_id = null where id = ${project}`);
  await countPods(db, 1_000_000n);
  assert.deepEqual(await lines(task), []);
  await unchanged(() => countPods(db, 1_000_000n));
});
