import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { safeName } from './attachments.ts';

/** What people attach to messages, in the pod of the task. */

const harness = await startHarness({ own: true });
const { db, files, request } = harness;
const at = await agentsAtWork(harness);

const podOf = async (taskId: string) =>
  (
    await db.maybeOne<{ id: string }>(sql`
      select id from pod where task_id = ${taskId} order by created_at desc limit 1`)
  )?.id ?? 'none';
const treeOf = async (taskId: string) => join(at.folders.pods, await podOf(taskId), 'work');
const lines = (plan: string) => plan.split('\n').filter((line) => line.endsWith(' bytes)'));

test('the agent is given the attachments of its message, and is given them again in a new pod', async () => {
  const task = await at.task();
  at.work();
  await at.send(task, 'Read this', { 'a b.txt': 'one', 'ü.pdf': 'twoo' });
  await at.untilStatus(task.id, 'awaiting_approval');
  assert.deepEqual(lines(await at.planOf(task.id)), ['- a b.txt (3 bytes)', '- ü.pdf (4 bytes)']);

  await at.send(task, 'And this', { c: 'three' });
  await until('the second plan', async () => (await at.planOf(task.id)).includes('And this'));
  assert.deepEqual(lines(await at.planOf(task.id)), ['- c (5 bytes)']);
  await at.untilStatus(task.id, 'awaiting_approval');

  await at.pods.destroy(await podOf(task.id));
  await at.send(task, 'Once more');
  await until('the third plan', async () => (await at.planOf(task.id)).includes('Once more'));
  assert.equal(lines(await at.planOf(task.id)).length, 3);
  const given = await readdir(join(await treeOf(task.id), '.guildhall/attachments'));
  assert.equal(given.length, 3);
});

test('they are never committed; what a repository has in a folder of that name stays', async () => {
  const task = await at.task();
  const { projectId } = await db.one<{ projectId: string }>(sql`
    select project_id as "projectId" from task where id = ${task.id}`);
  const workTree = join(at.folders.pods, '..', 'tree');
  await mkdir(workTree);
  await at.repositories.checkOut({ projectId, taskId: task.id, workTree });
  const gitDir = join(at.folders.repositories, projectId, 'main.git');
  const git = (...args: string[]) => execFileSync('git', ['-C', gitDir, ...args], UTF8).trim();
  await mkdir(join(workTree, '.guildhall'));
  await writeFile(join(workTree, '.guildhall/settings'), 'theirs');
  const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: workTree, ...AUTHOR };
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'core.bare=false', ...args], { ...UTF8, env, cwd: workTree });
  run('add', '--all');
  run('commit', '--quiet', '-m', 'Their own folder');

  at.work();
  await at.send(task, 'Write a.md', { 'secret.txt': 'attached' });
  await at.untilStatus(task.id, 'awaiting_approval');
  const own = join(await treeOf(task.id), '.guildhall');
  assert.equal(await readFile(join(own, 'settings'), 'utf8'), 'theirs');
  await writeFile(join(own, 'settings'), 'changed by the agent');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  await at.untilStatus(task.id, 'ready');
  const branch = branchOf(task.id);
  assert.equal(git('ls-tree', '-r', '--name-only', branch), '.guildhall/settings\na.md');
  assert.equal(git('show', `${branch}:.guildhall/settings`), 'theirs');
  await rm(workTree, { recursive: true });
});

test('kill -9 while the agent works: the next worker gives it the attachments again', async () => {
  const task = await at.task();
  const { kill } = await at.workElsewhere();
  const turn = await at.send(task, 'Read this [[slow 4]]', { 'a.txt': 'attached' });
  await at.untilStatus(task.id, 'planning');
  const given = async () => join(await treeOf(task.id), '.guildhall/attachments');
  await until('they are in its pod', async () =>
    readdir(await given()).then(
      (names) => names.length === 1,
      () => false,
    ),
  );
  await kill();
  await rm(await given(), { recursive: true });
  at.work();
  await until('the turn is done', async () => (await at.turn(turn)).state === 'done');
  assert.deepEqual(lines(await at.planOf(task.id)), ['- a.txt (8 bytes)']);
  assert.equal((await at.turn(turn)).losses, 1);
});

test('one whose bytes are gone fails the turn, and says which', async () => {
  const task = await at.task();
  const turn = await at.send(task, 'Read this', { 'lost.txt': 'attached' });
  const { key } = await db.one<{ key: string }>(sql`
    select storage_key as key from attachment where task_id = ${task.id}`);
  await files.delete([key]);
  at.work();
  await at.untilTurn(turn, 'failed');
  assert.match((await at.status(task.id)).reason ?? '', /lost\.txt is not in the file store/);
});

test('a file or link of the agent in place of a folder is replaced', async () => {
  const task = await at.task();
  at.work();
  await at.send(task, 'Begin');
  await at.untilStatus(task.id, 'awaiting_approval');
  const own = join(await treeOf(task.id), '.guildhall');
  await writeFile(own, 'a file');
  const turn = await at.send(task, 'Read this', { 'a.txt': 'attached' });
  await at.untilTurn(turn, 'done');
  assert.deepEqual(lines(await at.planOf(task.id)), ['- a.txt (8 bytes)']);
  await rm(join(own, 'attachments'), { recursive: true });
  await symlink('/etc', join(own, 'attachments'));
  const next = await at.send(task, 'And this', { 'b.txt': 'attached' });
  await at.untilTurn(next, 'done');
  assert.equal((await readdir(join(own, 'attachments'))).length, 2);
});

test('a file of the repository in place of the folder stays, and fails the turn', async () => {
  const task = await at.task();
  at.work();
  await at.send(task, 'Begin');
  await at.untilStatus(task.id, 'awaiting_approval');
  const own = join(await treeOf(task.id), '.guildhall');
  const { projectId } = await db.one<{ projectId: string }>(sql`
    select project_id as "projectId" from task where id = ${task.id}`);
  const env = { ...process.env, ...AUTHOR };
  const gitDir = join(at.folders.repositories, projectId, 'main.git');
  const git = (args: string[], input = '') =>
    execFileSync('git', ['-C', gitDir, ...args], { ...UTF8, env, input }).trim();
  const blob = git(['hash-object', '-w', '--stdin'], 'theirs');
  const tree = git(['mktree'], `100644 blob ${blob}\t.guildhall\n`);
  git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-m', 'Theirs'])]);
  await writeFile(own, 'theirs');
  const turn = await at.send(task, 'Read this', { 'a.txt': 'attached' });
  await at.untilTurn(turn, 'failed');
  assert.match((await at.status(task.id)).reason ?? '', /\.guildhall in the repository/);
  assert.equal(await readFile(own, 'utf8'), 'theirs');
});

test('a name is safe as the last part of a path', () => {
  for (const [name, safe] of [
    ['a b.txt', 'a b.txt'],
    ['.bashrc', '_bashrc'],
    ['--help', '_help'],
    ['a/../b\\c', 'a_.._b_c'],
    ['a\u202egpj.exe', 'a_gpj.exe'],
    ['a\nb', 'a_b'],
  ] as const)
    assert.equal(safeName(name), safe);
  const long = safeName(`${'ü'.repeat(120)}.tar.gz`);
  assert.ok(Buffer.byteLength(long) <= 200 && long.endsWith('ü.gz'), long);
});

const UTF8 = { encoding: 'utf8' } as const;
const AUTHOR = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
