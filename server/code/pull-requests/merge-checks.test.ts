import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { checksOn } from '../../testing/fixtures/code/checks.ts';
import { makePods } from '../../testing/fixtures/runner/pods.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Nothing is merged before its checks have passed, unless an owner or an admin insists. */

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const checks = await checksOn(harness);
const { owner, workspace, checked, offered, begin, ask, get, untilEnded, worker, work } = checks;

const failing = { a: 'true', b: 'exit 1' };
const done = async (t: Parameters<typeof makePods>[0], taskId: string) => {
  const running = worker(await makePods(t));
  await untilEnded(taskId);
  await running.close();
};

test('409 checks_not_passed while they wait, run or have failed, and nothing changes', async (t) => {
  const task = await checked(failing);
  const waiting = await unchanged(() => ask(task));
  assert.deepEqual([waiting.status, waiting.body.code], [409, 'checks_not_passed']);
  assert.deepEqual(waiting.body.checks, { state: 'pending', passed: 0, failed: 0, pending: 0 });
  await done(t, task.taskId);
  const failed = await unchanged(() => ask(task));
  assert.deepEqual([failed.status, failed.body.code], [409, 'checks_not_passed']);
  assert.deepEqual(failed.body.checks, { state: 'failed', passed: 1, failed: 1, pending: 0 });
  const [target] = await get(task.taskId, 'merge-targets');
  assert.deepEqual([target.can_merge, target.reason], [false, 'checks_not_passed']);
});

test('what has passed and what has no checks is merged, and a force is not recorded', async (t) => {
  const passing = await checked({ a: 'true' });
  await done(t, passing.taskId);
  for (const task of [passing, await offered()]) {
    const { status, body } = await ask(task, { force: true });
    assert.deepEqual([status, body.state, body.forced], [200, 'queued', false]);
    await work();
    assert.equal((await get(task.taskId)).state, 'merged');
    const [audit] = await eventsOf(task.taskId);
    assert.equal(audit?.after.forced, false);
  }
});

const eventsOf = (taskId: string) =>
  db.many<{ outcome: string; after: { forced?: boolean } }>(sql`
    select outcome, after from audit_event
     where target_id = ${taskId} and action = 'task.merge' order by occurred_at`);

test('a commit that was pushed since is not merged on the checks of the one before', async (t) => {
  const task = await checked({ a: 'true' });
  await done(t, task.taskId);
  await task.write('.guildhall.yml', '{"checks": [{"name": "a", "run": "exit 1"}]}');
  const head = await task.commit();
  const refused = await unchanged(() => ask({ ...task, head }));
  assert.deepEqual([refused.status, refused.body.code], [409, 'checks_not_passed']);
  await begin(task.taskId);
  await done(t, task.taskId);
  assert.equal((await ask({ ...task, head })).body.code, 'checks_not_passed');
});

test('owners and admins merge with force, which is recorded', async (t) => {
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const custom = await fixtures.user();
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'admin' }));
  for (const as of [owner, admin, custom]) {
    const task = await checked(failing);
    if (as === owner) await done(t, task.taskId);
    const { status, body } = await ask(task, { as, force: true });
    assert.deepEqual([status, body.forced], [200, true]);
    await work();
    assert.deepEqual((await get(task.taskId)).state, 'merged');
    const [audit] = await eventsOf(task.taskId);
    assert.deepEqual([audit?.outcome, audit?.after.forced], ['done', true]);
  }
});

test('403 for a force of everyone else, needed or not, and nothing is merged', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const task = await checked(failing, project);
  const fine = await offered({ 'b.txt': '1' }, project);
  const [member, viewer, mate, stranger] = (await Promise.all(
    Array.from({ length: 4 }, () => fixtures.user()),
  )) as [User, User, User, User];
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, mate, 'member');
  const team = await fixtures.team(workspace);
  await db.many(sql`update team set can_merge_production = true where id = ${team}`);
  await fixtures.teamMember(team, mate);
  await fixtures.teamProject(team, project);
  for (const as of [member, viewer, mate, stranger])
    for (const each of [task, fine]) {
      const { status, body } = await ask(each, { as, force: true });
      assert.deepEqual([status, body.code], [403, 'forbidden']);
    }
  assert.deepEqual(
    await db.many(sql`select from merge where task_id in (${task.taskId}, ${fine.taskId})`),
    [],
  );
  assert.ok((await eventsOf(task.taskId)).every(({ outcome }) => outcome === 'refused'));
  // Who may merge by their team waits for the checks.
  assert.equal((await ask(task, { as: mate })).body.code, 'checks_not_passed');
  assert.equal((await ask(fine, { as: mate })).status, 200);
});

test('a merge is available to those who may force it, and to others once the checks have passed', async (t) => {
  const project = await fixtures.project({ organizationId: workspace });
  const mate = await fixtures.user();
  await fixtures.member(workspace, mate, 'member');
  const team = await fixtures.team(workspace);
  await db.many(sql`update team set can_merge_production = true where id = ${team}`);
  await fixtures.teamMember(team, mate);
  await fixtures.teamProject(team, project);
  const task = await checked({ a: 'true' }, project);
  const offersMerge = async (as: User) => {
    const { body } = await request('GET', `/api/tasks/${task.taskId}/pull-request`, {
      key: as.key,
    });
    return body.available_actions.includes('merge_task');
  };
  const both = async () => [await offersMerge(owner), await offersMerge(mate)];
  assert.deepEqual(await both(), [true, false]);
  await done(t, task.taskId);
  assert.deepEqual(await both(), [true, true]);
  await task.write('a.txt', 'two\n');
  await task.commit();
  assert.deepEqual(await both(), [true, false]);
});
