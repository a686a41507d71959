import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitDirOf, refOf } from '../../code/repositories/git.ts';
import { mergedRefOf } from '../../code/repositories/merged-range.ts';
import { sql } from '../../db/sql.ts';
import { STARTED } from '../../platform/launcher/launcher.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { reapBranches } from './reap-branches.ts';
import { fetchedOf, seenRefOf } from './remote-branch.ts';
import { workRefOf } from './task-branch.ts';

/** The branches of deleted tasks go, and no others do. */

const harness = await startHarness({ own: true });
const { db, repositories, request } = harness;
const { owner, gitIn, offered, ask, work, get } = await mergesOn(harness);

const reap = () => reapBranches(db, repositories, (ref, error) => assert.fail(`${ref}: ${error}`));
const refsOf = (project: string) =>
  gitIn(project, 'for-each-ref', '--format=%(refname)').split('\n').sort();
const remove = async (taskId: string) =>
  assert.equal((await request('DELETE', `/api/tasks/${taskId}`, { key: owner.key })).status, 200);

test('all references of a deleted task go, those of what it has merged too; others stay', async () => {
  const gone = await offered();
  const project = gone.projectId;
  await ask(gone);
  await work();
  const kept = await offered({ 'b.txt': 'two\n' }, project);
  const unknown = randomUUID();
  for (const ref of [
    `${refOf(gone.taskId)}-conflict-1`,
    seenRefOf(gone.taskId),
    fetchedOf(gone.taskId),
    refOf(unknown),
    mergedRefOf(unknown),
    'refs/guildhall/fetched/default',
  ])
    gitIn(project, 'update-ref', ref, 'main');
  const main = gitIn(project, 'rev-parse', 'main');
  const before = refsOf(project);
  assert.equal(await reap(), 0);
  assert.deepEqual(refsOf(project), before);

  await remove(gone.taskId);
  assert.equal(await reap(), 6);
  assert.deepEqual(
    refsOf(project),
    [
      'refs/heads/main',
      refOf(kept.taskId),
      workRefOf(kept.taskId),
      refOf(unknown),
      mergedRefOf(unknown),
      'refs/guildhall/fetched/default',
    ].sort(),
  );
  assert.equal(gitIn(project, 'rev-parse', 'main'), main);
  assert.equal(await reap(), 0);
});

test('however many references go, they go with one process of git', async () => {
  const task = await offered();
  const project = task.projectId;
  for (let number = 1; number <= 20; number++)
    gitIn(project, 'update-ref', `${refOf(task.taskId)}-conflict-${number}`, 'main');
  // Not UTF-8, as a file system may have it.
  const bytes = Buffer.from(`${refOf(task.taskId)}-\xe9`, 'latin1');
  const path = Buffer.concat([Buffer.from(`${gitDirOf(repositories, project)}/`), bytes]);
  await writeFile(path, `${gitIn(project, 'rev-parse', 'main')}\n`);
  gitIn(project, 'pack-refs', '--all');
  await remove(task.taskId);
  let programs = 0;
  const count = () => {
    programs += 1;
  };
  subscribe(STARTED, count);
  const removed = await reap();
  const first = programs;
  assert.equal(await reap(), 0);
  unsubscribe(STARTED, count);
  assert.equal(removed, 23);
  assert.equal(first - (programs - first), 1);
  assert.deepEqual(refsOf(project), ['refs/heads/main']);
});

test('the branch of a task stays that a deleted one had, too, and so does one that is being merged', async () => {
  const task = await offered();
  const other = `${task.taskId.slice(0, 8)}${randomUUID().slice(8)}`;
  gitIn(task.projectId, 'update-ref', mergedRefOf(other), 'main');
  await db.many(sql`
    insert into audit_event (action, outcome, request_id, organization_id, project_id, target_id)
    select 'task.delete', 'done', 'test', organization_id, id, ${other} from project
     where id = ${task.projectId}`);
  await ask(task);
  assert.equal(await reap(), 1);
  assert.ok(refsOf(task.projectId).includes(refOf(task.taskId)));
  await work();
  assert.equal((await get(task.taskId)).state, 'merged');
});

test('one that is locked is left until the next time, and keeps no other', async () => {
  const task = await offered();
  const lock = join(gitDirOf(repositories, task.projectId), `${refOf(task.taskId)}.lock`);
  await writeFile(lock, '');
  await remove(task.taskId);
  const failed: string[] = [];
  assert.equal(await reapBranches(db, repositories, (ref) => failed.push(ref)), 1);
  assert.deepEqual(failed, [refOf(task.taskId)]);
  await rm(lock);
  assert.equal(await reap(), 1);
  assert.deepEqual(refsOf(task.projectId), ['refs/heads/main']);
});
