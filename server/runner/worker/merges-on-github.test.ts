import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePull } from '../../code/github/pulls.ts';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { startGithub } from '../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../testing/fixtures/code/tasks-on-github.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Merges of tasks whose code is on GitHub: one each, whatever GitHub and our processes do. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { shop, carryOut } = on;

const call = (method: 'GET' | 'POST', taskId: string, path: string, body?: object) =>
  request(method, `/api/tasks/${taskId}/${path}`, { key: owner.key, ...(body && { body }) });
const outcome = async (taskId: string) => (await call('GET', taskId, 'merge')).body;
const place = { installationId: on.acme.id, repositoryId: shop.id, fullName: `acme/${shop.name}` };

/** A task whose pull request is open, and whose commit has no checks. */
async function opened(files?: Record<string, string>) {
  const task = await on.built(files);
  const { body } = await call('POST', task.taskId, 'pull-request');
  await on.refresh();
  await db.many(sql`
    update check_suite set state = 'completed', conclusion = 'none', ended_at = now(),
           created_at = now() - interval '1 hour'
     where task_id = ${task.taskId}`);
  const merge = (expected_head_sha = task.head) =>
    call('POST', task.taskId, 'merge', { expected_head_sha });
  const pull = shop.pulls.get(body.number) ?? assert.fail();
  return { ...task, number: body.number as number, pull, merge };
}

/** How many commits of the branch say that they merge this pull request. */
async function timesMerged({ number }: { number: number }): Promise<number> {
  const merged = [...shop.pulls.values()].filter((pull) => pull.number === number && pull.merged);
  return merged.length;
}

test('merged on GitHub, with the commit that was seen, once', async () => {
  const task = await opened();
  const asked = await Promise.all([task.merge(), task.merge()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    [200, 200],
  );
  await Promise.all([carryOut(), carryOut()]);
  const { state, merge_commit_sha } = await outcome(task.taskId);
  assert.equal(state, 'merged');
  assert.equal(merge_commit_sha, shop.branches.get('18.0'));
  assert.equal(await timesMerged(task), 1);
  const { body } = await call('GET', task.taskId, 'pull-request');
  assert.equal(body.state, 'merged');
  assert.equal((await task.merge()).body.merge_commit_sha, merge_commit_sha);
});

for (const kind of ['dropAfter', '502after', 'hangAfter', 'truncate'] as const)
  test(`the answer to a merge is lost (${kind}): it is found, and not made again`, async () => {
    const task = await opened();
    await task.merge();
    fake.fault({ kind, match: 'PUT /repos/:owner/:repo/pulls/:number/merge' });
    await carryOut();
    assert.equal((await outcome(task.taskId)).state, 'queued');
    await on.forget(task.taskId);
    await carryOut();
    const { state, merge_commit_sha } = await outcome(task.taskId);
    assert.deepEqual([state, merge_commit_sha], ['merged', shop.branches.get('18.0')]);
  });

test('a worker that dies between the merge of GitHub and our commit: the next one finds it', async () => {
  const task = await opened();
  await task.merge();
  const commit = await mergePull(on.github, place, task.number, {
    head: task.head,
    base: '18.0',
    method: 'merge',
    message: 'Merged',
  });
  await carryOut();
  assert.equal((await outcome(task.taskId)).merge_commit_sha, commit);
});

test('a base that moves meanwhile is asked for again; a merge that GitHub refuses is not', async () => {
  const task = await opened();
  await task.merge();
  fake.fault({ kind: 'baseModified', match: 'PUT /repos/:owner/:repo/pulls/:number/merge' });
  await carryOut();
  assert.equal((await outcome(task.taskId)).state, 'merged');

  const conflicting = await opened({ 'a.txt': 'ours\n' });
  await conflicting.merge();
  await fake.commit(shop, { files: { 'a.txt': 'theirs\n' }, branch: '18.0' });
  await carryOut();
  const { state, failure } = await outcome(conflicting.taskId);
  assert.deepEqual([state, failure.code], ['failed', 'not_mergeable']);
});

test('409 head_changed when the branch has moved on GitHub, before and after it was asked for', async () => {
  const task = await opened();
  const branch = branchOf(task.taskId);
  const moved = await fake.commit(shop, { files: { 'c.txt': 'c\n' }, branch, from: branch });
  const refused = await task.merge();
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.head_sha],
    [409, 'head_changed', moved],
  );
  const other = await opened();
  await other.merge();
  const its = branchOf(other.taskId);
  await fake.commit(shop, { files: { 'd.txt': 'd\n' }, branch: its, from: its });
  await carryOut();
  const { state, failure } = await outcome(other.taskId);
  assert.deepEqual([state, failure.code], ['failed', 'head_changed']);
  assert.equal(await timesMerged(other), 0);
});

test('another base on GitHub than the one that was decided on: it is not merged', async () => {
  const task = await opened();
  await fake.commit(shop, { files: { 's.txt': 's\n' }, branch: 'staging', from: '18.0' });
  await task.merge();
  task.pull.base.ref = 'staging';
  await carryOut();
  const { state, failure } = await outcome(task.taskId);
  assert.deepEqual([state, failure.code], ['failed', 'base_changed']);
  assert.match(failure.message, /into staging on GitHub now, not into 18\.0/);
  assert.equal(await timesMerged(task), 0);
});

test('503 while GitHub does not answer: nothing is asked for', async () => {
  const task = await opened();
  fake.fault({ kind: '502before', match: '*', times: 20 });
  const refused = await unchanged(() => task.merge());
  fake.clearFaults();
  assert.deepEqual([refused.status, refused.body.code], [503, 'github_unavailable']);
});

test('merged or closed by a person on GitHub', async () => {
  const [closed, merged] = [await opened(), await opened({ 'e.txt': 'e\n' })];
  await closed.merge();
  closed.pull.state = 'closed';
  await carryOut();
  assert.equal((await outcome(closed.taskId)).failure.code, 'pull_request_closed');
  await merged.merge();
  const commit = await mergePull(on.github, place, merged.number, {
    head: merged.head,
    base: '18.0',
    method: 'squash',
    message: 'By a person',
  });
  await carryOut();
  assert.equal((await outcome(merged.taskId)).merge_commit_sha, commit);
});

test('an installation without the permission to merge: said by its name', async () => {
  const task = await opened();
  await task.merge();
  const { permissions } = on.acme;
  on.acme.permissions = { ...permissions, contents: 'read' };
  on.github.forget(on.acme.id);
  await carryOut();
  on.acme.permissions = permissions;
  on.github.forget(on.acme.id);
  const { state, failure } = await outcome(task.taskId);
  assert.deepEqual([state, failure.code], ['failed', 'github_permission_missing']);
  assert.match(failure.message, /contents/);
});
