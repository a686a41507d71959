import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { sql } from '../../db/sql.ts';
import { keepMerged } from '../../runner/worker/keep-merged.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** What a task has merged is shown for ever. */

const harness = await startHarness({ own: true });
const { db, request, repositories } = harness;
const { owner, work, gitIn, offered, ask, get } = await mergesOn(harness);
const log = pino({ level: 'silent' });

const paths = async (taskId: string) => {
  const { merged, files } = await get(taskId, 'diff');
  return [merged, files.map(({ path }: { path: string }) => path)];
};
const patch = async (taskId: string) =>
  (await request('GET', `/api/tasks/${taskId}/diff?format=patch`, { key: owner.key })).text;

for (const method of ['merge', 'squash'])
  test(`${method}: after the branch was deleted, the target has moved and the repository was packed`, async () => {
    const task = await offered({ 'a.txt': 'one\n' });
    const { projectId, taskId } = task;
    await ask(task, { method });
    await work();
    const is = [true, ['a.txt']];
    assert.deepEqual(await paths(taskId), is);
    const other = await offered({ 'b.txt': 'two\n' }, projectId);
    await ask(other, { method });
    await work();
    gitIn(projectId, 'update-ref', '-d', `refs/heads/task/${taskId.slice(0, 8)}`);
    assert.deepEqual(await paths(taskId), is);
    // The target was set to another history, and what no reference leads to is removed.
    const empty = gitIn(projectId, 'rev-list', '--max-parents=0', 'main').split('\n')[0] as string;
    for (const ref of gitIn(projectId, 'for-each-ref', '--format=%(refname)').split('\n'))
      if (!ref.startsWith('refs/guildhall/merged/') && ref !== 'refs/heads/main')
        gitIn(projectId, 'update-ref', '-d', ref);
    gitIn(projectId, 'update-ref', 'refs/heads/main', empty);
    gitIn(projectId, '-c', 'gc.pruneExpire=now', 'gc', '--quiet', '--prune=now');
    assert.deepEqual(await paths(taskId), is);
    assert.match(await patch(taskId), /^\+one$/m);
    assert.doesNotMatch(await patch(taskId), /two/);
  });

test('further commits of the task are shown instead, and what was merged again once they are gone', async () => {
  const task = await offered({ 'a.txt': 'one\n' });
  await ask(task);
  await work();
  await task.write('b.txt', 'more\n');
  await task.commit();
  assert.deepEqual(await paths(task.taskId), [false, ['b.txt']]);
  gitIn(task.projectId, 'update-ref', `refs/heads/task/${task.taskId.slice(0, 8)}`, task.head);
  assert.deepEqual(await paths(task.taskId), [true, ['a.txt']]);
});

test('a merge from before this was recorded is found, here and on GitHub', async () => {
  for (const host of ['local', 'github']) {
    const task = await offered({ 'a.txt': 'one\n' });
    const base = gitIn(task.projectId, 'rev-parse', 'main');
    await ask(task);
    await work();
    await db.many(sql`
      update pull_request
         set merged_base_sha = null, merged_head_sha = null, head_sha = ${task.head},
             base_sha = ${host === 'github' ? base : null}
       where task_id = ${task.taskId}`);
    gitIn(task.projectId, 'update-ref', '-d', `refs/guildhall/merged/${task.taskId}`);
    if (host === 'github')
      await db.many(sql`
        update pull_request
           set base_sha = (select merge_commit_sha from merge where task_id = ${task.taskId})
         where task_id = ${task.taskId}`);
    assert.deepEqual(await paths(task.taskId), [false, []]);
    await keepMerged(db, repositories, log);
    assert.deepEqual(await paths(task.taskId), [true, ['a.txt']], host);
  }
});

test('both commits or none, and only of what is merged', async () => {
  const { taskId, head } = await offered();
  for (const change of [
    sql`update pull_request set merged_base_sha = ${head}, merged_head_sha = ${head} where task_id = ${taskId}`,
    sql`update pull_request set state = 'merged', merged_head_sha = ${head} where task_id = ${taskId}`,
  ])
    await assert.rejects(db.many(change), /pull_request_merged_range/);
});
