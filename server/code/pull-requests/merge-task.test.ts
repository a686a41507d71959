import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Merging } from '../repositories/merging.ts';

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;
const { merging, begin, work, gitIn, offered, ask, get, logOf, retarget } = await mergesOn(harness);

test('200: queued, then merged by a worker, and asked again it is the same merge', async () => {
  const task = await offered();
  const asked = await ask(task);
  assert.deepEqual(
    [asked.status, asked.body.state, asked.body.stage],
    [200, 'queued', 'production'],
  );
  assert.equal((await ask(task, { method: 'squash' })).body.id, asked.body.id);
  await work();
  const merge = await get(task.taskId);
  assert.deepEqual([merge.id, merge.state], [asked.body.id, 'merged']);
  assert.equal(gitIn(task.projectId, 'rev-parse', 'main'), merge.merge_commit_sha);
  assert.equal(gitIn(task.projectId, 'rev-parse', 'main^2'), task.head);
  assert.match(
    gitIn(task.projectId, 'log', '-1', '--format=%B', 'main'),
    /^A task \(#1\)\n\nMerged-by: .+\nGuildhall-Merge: [0-9a-f-]{36}$/,
  );
  assert.equal((await get(task.taskId, 'pull-request')).state, 'merged');
  const again = await unchanged(() => ask(task));
  assert.deepEqual([again.status, again.body.state], [200, 'merged']);
  await work();
  assert.equal(gitIn(task.projectId, 'rev-parse', 'main'), merge.merge_commit_sha);
});

test('squash: one commit with one parent', async () => {
  const task = await offered();
  await ask(task, { method: 'squash' });
  await work();
  assert.deepEqual(logOf(task.projectId), ['A task (#1)', 'Begin']);
  assert.equal(gitIn(task.projectId, 'show', 'main:a.txt'), 'one');
});

test('409 head_changed, with both commits, when the branch has moved since', async () => {
  const task = await offered();
  await task.write('b.txt', 'more\n');
  const now = await task.commit();
  const refused = await unchanged(() => ask(task));
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.expected_head_sha, refused.body.head_sha],
    [409, 'head_changed', task.head, now],
  );
});

test('a branch that moves between the request and the merge is not merged', async () => {
  const task = await offered();
  await ask(task);
  await task.write('b.txt', 'more\n');
  const now = await task.commit();
  await work();
  const merge = await get(task.taskId);
  assert.deepEqual([merge.state, merge.failure.code], ['failed', 'head_changed']);
  assert.deepEqual(logOf(task.projectId), ['Begin']);
  await begin(task.taskId);
  assert.equal((await ask({ ...task, head: now })).body.state, 'queued', 'it may be tried again');
  await work();
  assert.equal((await get(task.taskId)).state, 'merged');
});

test('conflicts fail the merge with the paths, and change nothing', async () => {
  const one = await offered({ 'a.txt': 'one\n' });
  const two = await offered({ 'a.txt': 'two\n' }, one.projectId);
  for (const task of [one, two]) {
    await ask(task);
    await work();
  }
  const merge = await get(two.taskId);
  assert.equal(merge.failure.code, 'conflicts');
  assert.match(merge.failure.message, /conflicts with main in a\.txt/);
  assert.equal((await get(two.taskId, 'pull-request')).state, 'open');
  assert.equal(gitIn(one.projectId, 'show', 'main:a.txt'), 'one');
});

test('409: without an approved plan, closed, or into a branch that is no target any more', async () => {
  const planned = await offered();
  await fixtures.revision(planned.taskId);
  const closed = await offered();
  await db.many(sql`update pull_request set state = 'closed' where task_id = ${closed.taskId}`);
  const untargeted = await offered();
  await db.many(sql`delete from merge_target where project_id = ${untargeted.projectId}`);
  for (const [task, code] of [
    [planned, 'plan_not_approved'],
    [closed, 'pull_request_not_open'],
    [untargeted, 'merge_target_gone'],
  ] as const) {
    const { status, body } = await unchanged(() => ask(task));
    assert.deepEqual([status, body.code], [409, code]);
  }
});

test('a branch that cannot be beside another one fails the merge at once', async () => {
  const task = await offered();
  for (const branch of ['main/next', 'task'])
    await db.many(sql`
      insert into merge_target (project_id, branch, stage)
      values (${task.projectId}, ${branch}, 'production')`);
  for (const branch of ['main/next', 'task']) {
    await retarget(task.taskId, branch);
    await ask(task);
    await work();
    const { state, failure } = await get(task.taskId);
    assert.deepEqual([state, failure.code], ['failed', 'branch_impossible']);
    assert.match(failure.message, new RegExp(`branch ${branch} cannot be made beside`));
  }
});

test('422: what is no commit', async () => {
  const task = await offered();
  for (const head of ['', 'main', '-o', 'A'.repeat(40), `${'a'.repeat(40)}\n`, 'a'.repeat(41)])
    assert.equal((await unchanged(() => ask({ ...task, head }))).status, 422, head);
  assert.equal((await unchanged(() => ask(task, { method: 'rebase' }))).status, 422);
});

test('many who merge at once get one merge, and many workers make one commit', async () => {
  const task = await offered();
  const asked = await Promise.all(Array.from({ length: 8 }, () => ask(task)));
  assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(asked.map(({ body }) => body.id)).size, 1);
  await Promise.all(Array.from({ length: 6 }, () => work()));
  assert.deepEqual(logOf(task.projectId), ['A task (#1)', 'Work', 'Begin']);
});

test('tasks that are merged into one branch at once are all in it', async () => {
  const first = await offered({ '0.txt': '0\n' });
  const tasks = [first];
  for (let i = 1; i < 6; i++)
    tasks.push(await offered({ [`${i}.txt`]: `${i}\n` }, first.projectId));
  for (const task of tasks) await ask(task);
  await Promise.all(tasks.map(() => work()));
  await work();
  for (const { taskId } of tasks) assert.equal((await get(taskId)).state, 'merged');
  const files = gitIn(first.projectId, 'ls-tree', '--name-only', 'main').split('\n');
  assert.deepEqual(files, ['0.txt', '1.txt', '2.txt', '3.txt', '4.txt', '5.txt']);
});

test('a worker that dies after the host has merged leaves one merge, which the next one finds', async () => {
  const task = await offered();
  await ask(task);
  const dying: Merging = {
    ...merging,
    merge: async (order) => {
      await merging.merge(order);
      throw new Error('killed');
    },
  };
  await work(dying);
  assert.equal((await get(task.taskId)).state, 'queued');
  const made = gitIn(task.projectId, 'rev-parse', 'main');
  // Meanwhile others are merged, and the branch of the task moves.
  const other = await offered({ 'other.txt': '1\n' }, task.projectId);
  await ask(other);
  await work();
  await task.write('late.txt', '1\n');
  await task.commit();
  await db.many(sql`update merge set not_before = now() where task_id = ${task.taskId}`);
  await work();
  const merge = await get(task.taskId);
  assert.deepEqual([merge.state, merge.merge_commit_sha], ['merged', made]);
  assert.deepEqual(logOf(task.projectId).filter((line) => line === 'A task (#1)').length, 1);
});

test('a host that fails is asked again, at most five times', async () => {
  const task = await offered();
  await ask(task);
  const failing: Merging = { ...merging, merge: () => Promise.reject(new Error('no disk')) };
  for (let attempt = 0; attempt < 5; attempt++) {
    assert.equal((await get(task.taskId)).state, 'queued');
    await db.many(sql`update merge set not_before = now() where task_id = ${task.taskId}`);
    await work(failing);
  }
  assert.equal((await get(task.taskId)).failure.code, 'host_failed');
});

test('a task that is deleted while it is merged leaves the merge that was made', async () => {
  const task = await offered();
  await ask(task);
  const deleting: Merging = {
    ...merging,
    merge: async (order) => {
      const commit = await merging.merge(order);
      await db.many(sql`delete from task where id = ${task.taskId}`);
      return commit;
    },
  };
  await work(deleting);
  assert.deepEqual(logOf(task.projectId), ['A task (#1)', 'Work', 'Begin']);
  assert.equal(await work(), 0);
});
