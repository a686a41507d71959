import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { checksOn } from '../../testing/fixtures/code/checks.ts';
import { makePods } from '../../testing/fixtures/runner/pods.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** What people see of the checks of a pull request, and who sees it. */

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const checks = await checksOn(harness);
const { owner, workspace, checked, offered, begin, untilEnded, untilRun, worker } = checks;

const get = (taskId: string, what = '', as: User = owner) =>
  request('GET', `/api/tasks/${taskId}/pull-request${what}`, { key: as.key });

const stateOf = async (taskId: string) => (await get(taskId)).body.checks;

test('the pull request counts the checks of its last commit', async (t) => {
  const { taskId } = await checked({ a: 'true', b: 'test ! -e wait', c: 'exit 1' });
  const none = { passed: 0, failed: 0, pending: 0 };
  assert.deepEqual(await stateOf(taskId), { state: 'pending', ...none });
  worker(await makePods(t));
  await untilEnded(taskId);
  assert.deepEqual(await stateOf(taskId), { state: 'failed', passed: 2, failed: 1, pending: 0 });
  const { body } = await get(taskId, '/checks');
  assert.deepEqual(
    body.map((each: Record<string, string>) => [each.name, each.state, each.conclusion]),
    [
      ['a', 'completed', 'success'],
      ['b', 'completed', 'success'],
      ['c', 'completed', 'failure'],
    ],
  );
  const log = await get(taskId, `/checks/${body[2].id}/log`);
  assert.deepEqual([log.status, log.text], [200, 'It ended with code 1.\n']);
  assert.equal(log.headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('without a build file there are none', async () => {
  const { taskId } = await offered();
  const none = { passed: 0, failed: 0, pending: 0 };
  assert.deepEqual(await stateOf(taskId), { state: 'none', ...none });
  assert.deepEqual((await get(taskId, '/checks')).body, []);
});

test('neutral and skipped checks have passed; every other conclusion has failed', async () => {
  const { taskId } = await offered();
  const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  await fixtures.pullRequest(task, owner);
  const id = await fixtures.check(task);
  for (const [conclusion, passed] of [
    ...['success', 'neutral', 'skipped'].map((each) => [each, 1] as const),
    ...['failure', 'timed_out', 'cancelled', 'stale'].map((each) => [each, 0] as const),
  ]) {
    await db.many(sql`update check_run set conclusion = ${conclusion} where id = ${id}`);
    const { checks: shown } = (await get(task)).body;
    assert.deepEqual([shown.passed, shown.failed], [passed, 1 - passed], conclusion);
  }
  assert.equal((await get(taskId, `/checks/${id}/log`)).status, 404, 'of another task');
});

test('a commit whose checks have not begun is pending, and shows those of none', async (t) => {
  const task = await checked({ a: 'true' });
  worker(await makePods(t));
  await untilEnded(task.taskId);
  assert.equal((await stateOf(task.taskId)).state, 'passed');
  await task.write('a.txt', 'two\n');
  const head = await task.commit();
  const moved = (await get(task.taskId)).body;
  assert.deepEqual([moved.head_sha, moved.checks.state], [head, 'pending']);
  await begin(task.taskId);
  await untilEnded(task.taskId);
  assert.equal((await stateOf(task.taskId)).state, 'passed');
});

test('the log of a check is there while it runs, and empty before', async (t) => {
  const { taskId } = await checked({ a: 'echo now; sleep 300', b: 'true' });
  worker(await makePods(t));
  await untilRun(taskId, 'a', 'in_progress');
  const { body } = await get(taskId, '/checks');
  assert.deepEqual(
    [body[1].state, body[1].conclusion, body[1].started_at],
    ['queued', undefined, undefined],
  );
  assert.equal((await get(taskId, `/checks/${body[1].id}/log`)).text, '');
});

test('everyone who can open the project sees them, and no one else', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.pullRequest(task, owner);
  const id = await fixtures.check(task);
  const [admin, member, viewer, custom, collaborator, stranger] = (await Promise.all(
    Array.from({ length: 6 }, () => fixtures.user()),
  )) as [User, User, User, User, User, User];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'viewer' }));
  await fixtures.grant(project, collaborator, 'viewer');
  for (const path of ['/checks', `/checks/${id}/log`]) {
    for (const as of [owner, admin, member, viewer, custom, collaborator])
      assert.equal((await unchanged(() => get(task, path, as))).status, 200, path);
    assert.equal((await get(task, path, stranger)).status, 403, path);
  }
});

test('404 before the pull request is there, and for a check that does not exist', async () => {
  const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  assert.equal((await get(task, '/checks')).status, 404);
  await fixtures.pullRequest(task, owner);
  assert.deepEqual((await get(task, '/checks')).body, []);
  assert.equal((await get(task, `/checks/${task}/log`)).status, 404);
});
