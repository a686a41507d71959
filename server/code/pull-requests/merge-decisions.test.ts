import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// What git says, and who may, decides: not how names and titles look, nor what was true before.

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;
const merges = await mergesOn(harness);
const { workspace, built, gitIn, work, offered, openPullRequest, ask, get, retarget, logOf } =
  merges;

test('a file with a blank name conflicts as every other', async () => {
  const one = await offered({ ' ': 'one\n' });
  const two = await offered({ ' ': 'two\n' }, one.projectId);
  await ask(one);
  await work();
  const shown = await get(two.taskId, 'pull-request');
  assert.deepEqual([shown.mergeable, shown.conflicts], [false, [' ']]);
  await ask(two);
  await work();
  assert.equal((await get(two.taskId)).failure.code, 'conflicts');
  assert.equal(gitIn(one.projectId, 'show', 'main: '), 'one');
});

test('a title that looks like the trailer of another merge is not taken for it', async () => {
  const task = await offered({ 'a.txt': '1\n' });
  const { id } = (await ask(task)).body;
  await db.many(sql`update merge set not_before = now() + interval '1 hour' where id = ${id}`);
  const forged = await built({ 'b.txt': '2\n' }, task.projectId);
  await db.many(sql`
    update task set title = ${`Guildhall-Merge: ${id}`} where id = ${forged.taskId}`);
  await openPullRequest(forged.taskId);
  await ask(forged);
  await work();
  await db.many(sql`update merge set not_before = now() where id = ${id}`);
  await work();
  assert.equal((await get(task.taskId)).state, 'merged');
  assert.equal(gitIn(task.projectId, 'show', 'main:a.txt'), '1');
});

test('branches without a common commit are not mergeable, and their merge says why', async () => {
  const task = await offered();
  const tree = gitIn(task.projectId, 'rev-parse', `${task.head}^{tree}`);
  const alone = gitIn(
    ...([task.projectId, '-c', 'user.name=a', '-c', 'user.email=a@b.c'] as const),
    'commit-tree',
    tree,
    '-m',
    'Alone',
  );
  gitIn(task.projectId, 'update-ref', `refs/heads/task/${task.taskId.slice(0, 8)}`, alone);
  assert.equal((await get(task.taskId, 'pull-request')).mergeable, false);
  assert.equal((await get(task.taskId, 'diff')).head, alone);
  await merges.begin(task.taskId);
  await ask({ ...task, head: alone });
  await work();
  assert.equal((await get(task.taskId)).failure.code, 'unrelated_histories');
});

test('a merge target whose branch does not exist yet begins where main is', async () => {
  const task = await offered();
  await fixtures.mergeTarget(task.projectId, 'staging');
  await retarget(task.taskId, 'staging');
  const shown = await get(task.taskId, 'pull-request');
  assert.deepEqual([shown.mergeable, shown.base_sha], [true, undefined]);
  assert.equal((await ask(task)).body.stage, 'staging');
  await work();
  assert.equal((await get(task.taskId)).state, 'merged');
  assert.equal(gitIn(task.projectId, 'show', 'staging:a.txt'), 'one');
  assert.deepEqual(logOf(task.projectId), ['Begin']);
});

test('what is decided when it is asked is looked at again when it is done', async () => {
  const untargeted = await offered();
  await ask(untargeted);
  await db.many(sql`delete from merge_target where project_id = ${untargeted.projectId}`);
  const left = await offered();
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  await ask(left, { as: admin });
  await db.many(sql`delete from membership where user_id = ${admin.id}`);
  await work();
  for (const { taskId, projectId } of [untargeted, left]) {
    assert.equal((await get(taskId)).failure.code, 'no_longer_permitted');
    assert.deepEqual(logOf(projectId), ['Begin']);
  }
});

test('409: another target while it is merged, and anything of an archived project', async () => {
  const task = await offered();
  await fixtures.mergeTarget(task.projectId, 'staging');
  const toStaging = () => retarget(task.taskId, 'staging');
  await db.many(sql`update project set archived_at = now() where id = ${task.projectId}`);
  const fresh = await built({ 'b.txt': '1\n' }, task.projectId);
  const open = () => openPullRequest(fresh.taskId);
  for (const change of [toStaging, () => ask(task), open]) {
    const { status, body } = await unchanged(change);
    assert.deepEqual([status, body.code], [409, 'project_archived']);
  }
  await db.many(sql`update project set archived_at = null where id = ${task.projectId}`);
  await ask(task);
  const { status, body } = await unchanged(toStaging);
  assert.deepEqual([status, body.code], [409, 'merge_queued']);
});
