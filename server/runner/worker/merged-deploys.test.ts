import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Merging } from '../../code/repositories/merging.ts';
import { sql } from '../../db/sql.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Each merge leaves one deploy, whatever happens to the worker that carries it out. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const { merging, work, gitIn, offered, ask, get, retarget } = await mergesOn(harness);

const deploysOf = (projectId: string) =>
  db.many<{ commit_sha: string; height: number; branch: string; stage: string; state: string }>(sql`
    select commit_sha, height, branch, stage, state from deploy
     where project_id = ${projectId} order by height`);
const again = (taskId: string) =>
  db.many(sql`update merge set not_before = now() where task_id = ${taskId}`);

test('a merge leaves a deploy of its commit; a merge that fails leaves none', async () => {
  const one = await offered({ 'a.txt': 'one\n' });
  const two = await offered({ 'a.txt': 'two\n' }, one.projectId);
  for (const task of [one, two]) {
    await ask(task);
    await work();
  }
  assert.equal((await get(two.taskId)).state, 'failed');
  assert.deepEqual(await deploysOf(one.projectId), [
    {
      commit_sha: gitIn(one.projectId, 'rev-parse', 'main'),
      height: 2,
      branch: 'main',
      stage: 'production',
      state: 'queued',
    },
  ]);
});

test('a worker that dies before, while or after the host merges leaves one deploy', async () => {
  const killed = () => Promise.reject(new Error('killed'));
  const dying: Merging[] = [
    { ...merging, merge: killed },
    { ...merging, merge: (order) => merging.merge(order).then(killed) },
    { ...merging, heightOf: killed },
  ];
  const task = await offered();
  await ask(task);
  for (const each of dying) {
    await work(each);
    assert.deepEqual(await deploysOf(task.projectId), []);
    assert.equal((await get(task.taskId)).state, 'queued');
    await again(task.taskId);
  }
  await Promise.all([work(), work(), work()]);
  await work();
  assert.equal((await deploysOf(task.projectId)).length, 1);
});

test('two workers that carry out the same merge leave one deploy', async () => {
  const task = await offered();
  await ask(task);
  const twice: Merging = {
    ...merging,
    merge: async (order) => {
      const commit = await merging.merge(order);
      await again(task.taskId);
      await work();
      return commit;
    },
  };
  await work(twice);
  assert.equal((await get(task.taskId)).state, 'merged');
  assert.equal((await deploysOf(task.projectId)).length, 1);
});

test('the order of deploys is that of the commits, also when a merge is found late', async () => {
  const first = await offered({ 'a.txt': '1\n' });
  await ask(first);
  await work({
    ...merging,
    merge: (order) => merging.merge(order).then(() => Promise.reject(new Error('killed'))),
  });
  const second = await offered({ 'b.txt': '1\n' }, first.projectId);
  await ask(second);
  await work();
  await again(first.taskId);
  await work();
  const found = await db.many<{ task: string }>(sql`
    select m.task_id as task from deploy d join merge m on m.id = d.merge_id
     where d.project_id = ${first.projectId} order by d.height`);
  assert.deepEqual(
    found.map(({ task }) => task),
    [first.taskId, second.taskId],
  );
});

test('another branch has deploys of its own, of its stage', async () => {
  const task = await offered();
  await fixtures.mergeTarget(task.projectId, 'staging');
  await retarget(task.taskId, 'staging');
  await ask(task);
  await work();
  const [deploy] = await deploysOf(task.projectId);
  assert.deepEqual([deploy?.branch, deploy?.stage], ['staging', 'staging']);
});
