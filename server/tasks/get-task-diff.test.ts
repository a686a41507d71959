import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { openRepositories } from '../runner/worker/repository.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { turnOf } from '../testing/fixtures/tasks/stored-files.ts';
import { startHarness } from '../testing/harness/harness.ts';

const folder = await temporaryFolder();
const harness = await startHarness({ env: { DATA_DIR: folder } });
const { db, fixtures, request } = harness;
const repositories = openRepositories(join(folder, 'repositories'));
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);

/** A task whose work tree is filled. */
async function begun(project?: string) {
  const projectId = project ?? (await fixtures.project({ organizationId: workspace }));
  const taskId = await fixtures.task(projectId, owner);
  const workTree = join(folder, taskId);
  await mkdir(workTree);
  const place = { projectId, taskId, workTree };
  await repositories.checkOut(place);
  const write = (path: string, content: string | Buffer) =>
    writeFile(join(workTree, path), content);
  return { ...place, write, commit: (message = 'Work') => repositories.commit(place, message) };
}

const get = (taskId: string, query = '', headers: Record<string, string> = {}) =>
  request('GET', `/api/tasks/${taskId}/diff${query}`, { key: owner.key, headers });

const patchOf = (taskId: string) => get(taskId, '?format=patch');

test('200: empty before anything was built, and before the first commit', async () => {
  const unknown = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  const { taskId } = await begun();
  for (const id of [unknown, taskId]) {
    const { status, body } = await get(id);
    const { files_changed, files, truncated } = body;
    assert.deepEqual([status, files_changed, files, truncated], [200, 0, [], false]);
    assert.equal(body.head, undefined);
    assert.deepEqual([(await patchOf(id)).status, (await patchOf(id)).text], [200, '']);
  }
});

test('200: added, changed, deleted and renamed files, programs, links and binary files', async () => {
  const first = await begun();
  const text = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');
  await first.write('gone.txt', 'gone\n');
  await first.write('old name.txt', text);
  await first.write('changed.txt', 'one\ntwo\n');
  await first.write('run.sh', '#!/bin/sh\n');
  const { id } = (await first.commit('Base')) as { id: string };
  const gitDir = join(folder, 'repositories', first.projectId, 'main.git');
  execFileSync('git', ['-C', gitDir, 'update-ref', 'refs/heads/main', id]);

  const second = await begun(first.projectId);
  await rm(join(second.workTree, 'gone.txt'));
  await rename(join(second.workTree, 'old name.txt'), join(second.workTree, 'new ü.txt'));
  await second.write('changed.txt', 'one\n2\n3\n');
  await chmod(join(second.workTree, 'run.sh'), 0o755);
  await second.write('image.bin', Buffer.from([0, 1, 2, 255]));
  await symlink('changed.txt', join(second.workTree, 'link'));
  await second.commit();
  const { body } = await get(second.taskId);
  const [base, head] = [body.base, body.head];
  assert.equal(base, id);
  assert.deepEqual(body.files, [
    { ...file('changed.txt', 'modified', 2, 1), ...modes('100644', '100644') },
    { ...file('gone.txt', 'deleted', 0, 1), old_mode: '100644' },
    { path: 'image.bin', status: 'added', binary: true, new_mode: '100644', new_size: 4 },
    { ...file('link', 'added', 1, 0), new_mode: '120000' },
    {
      ...file('new ü.txt', 'renamed', 0, 0),
      old_path: 'old name.txt',
      ...modes('100644', '100644'),
    },
    { ...file('run.sh', 'modified', 0, 0), ...modes('100644', '100755') },
  ]);
  assert.deepEqual([body.files_changed, body.additions, body.deletions], [6, 3, 2]);

  const patch = await patchOf(second.taskId);
  assert.equal(patch.headers.get('content-type'), 'text/x-diff');
  const tree = await begun(first.projectId);
  // What a patch only names cannot be applied.
  const applied = patch.text.replace(/^diff --git a\/image\.bin[\s\S]*?(?=^diff --git)/m, '');
  execFileSync('git', ['apply', '-'], { cwd: tree.workTree, input: applied });
  const left = execFileSync('ls', [tree.workTree], { encoding: 'utf8' });
  assert.equal(left, 'changed.txt\nlink\nnew ü.txt\nrun.sh\n');
  assert.equal(head, (await get(second.taskId)).body.head);
});

const file = (path: string, status: string, additions: number, deletions: number) => ({
  path,
  status,
  additions,
  deletions,
  binary: false,
});
const modes = (old_mode: string, new_mode: string) => ({ old_mode, new_mode });

test('304 until the next commit', async () => {
  const { taskId, write, commit } = await begun();
  await write('a', '1\n');
  await commit();
  const tag = (await get(taskId)).headers.get('etag') as string;
  for (const query of ['', '?format=patch'])
    assert.equal((await get(taskId, query, { 'if-none-match': tag })).status, 304);
  await write('a', '2\n');
  await commit();
  assert.equal((await get(taskId, '', { 'if-none-match': tag })).status, 200);
});

test('200: nothing in the tree hides a change or makes git run a program', async () => {
  const { taskId, write, commit } = await begun();
  const attributes = '* -diff -text diff=evil filter=evil\n*.js binary linguist-generated\n';
  await write('.gitattributes', attributes);
  await write('a.js', 'steal()\n');
  await commit();
  const { body } = await get(taskId);
  assert.deepEqual(
    body.files.map(({ path, additions, binary }: Record<string, unknown>) => [
      path,
      additions,
      binary,
    ]),
    [
      ['.gitattributes', 2, false],
      ['a.js', 1, false],
    ],
  );
  assert.ok((await patchOf(taskId)).text.includes('+steal()'));
});

test('409: a difference that is too large to be shown', async () => {
  const { taskId, write, commit } = await begun();
  await write('large.txt', 'large\n'.repeat(1_600_000));
  await commit();
  const { status, body } = await patchOf(taskId);
  assert.deepEqual([status, body.code], [409, 'diff_too_large']);
  assert.equal((await get(taskId)).body.files[0].additions, 1_600_000);
});

test('200: of very many files the first, with the sums of all', async () => {
  const { taskId, write, commit } = await begun();
  for (let i = 0; i < 3_010; i++) await write(`f${i}`, 'x\n');
  await commit();
  const { body } = await get(taskId);
  assert.deepEqual(
    [body.files.length, body.truncated, body.files_changed, body.additions],
    [3_000, true, 3_010, 3_010],
  );
});

test('503: a server without the repository of what was built elsewhere says so', async () => {
  const task = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  const turn = await turnOf(db, task);
  await db.many(sql`update task_turn set mode = 'build' where id = ${turn}`);
  const { status, body } = await get(task);
  assert.deepEqual([status, body.code], [503, 'repository_elsewhere']);
});

test('200: the commits of a task, and what each of them changed; 404: one that it has not', async () => {
  const { taskId, write, commit } = await begun();
  await write('a', '1\n');
  const first = (await commit('First: begin')) as { id: string };
  await write('a', '1\n2\n');
  const second = (await commit('Second')) as { id: string };
  const { body } = await get(taskId);
  assert.deepEqual(
    body.commits.map(({ id, title }: Record<string, unknown>) => [id, title]),
    [
      [second.id, 'Second'],
      [first.id, 'First: begin'],
    ],
  );
  assert.match(body.commits[0].authored_at, /^\d{4}-\d\d-\d\dT/);
  const one = await get(taskId, `?commit=${second.id}`);
  assert.deepEqual([one.body.base, one.body.head], [first.id, second.id]);
  assert.deepEqual([one.body.additions, one.body.commits.length], [1, 2]);
  assert.match((await get(taskId, `?commit=${second.id}&format=patch`)).text, /^\+2$/m);
  const { taskId: other } = await begun();
  for (const [id, sha] of [
    [taskId, body.base],
    [taskId, '0'.repeat(40)],
    [other, second.id],
  ]) {
    const refused = await get(id, `?commit=${sha}`);
    assert.deepEqual([refused.status, refused.body.code], [404, 'commit_not_found']);
  }
});

test('200: a patch without what differs in white space alone', async () => {
  const { taskId, write, commit } = await begun();
  await write('a', 'one\ntwo\n');
  await commit();
  await write('a', '  one\n2\n');
  const { id } = (await commit()) as { id: string };
  const query = `?commit=${id}&format=patch`;
  assert.match((await patchText(taskId, query)) ?? '', /^-one$/m);
  const text = await patchText(taskId, `${query}&ignore_space=true`);
  assert.doesNotMatch(text, /^-one$/m);
  assert.match(text, /^\+2$/m);
});

const patchText = async (taskId: string, query: string): Promise<string> =>
  (await get(taskId, query)).text;

test('200: a binary file before and after, as a download of its type; 404: none on that side', async () => {
  const { taskId, write, commit } = await begun();
  const png = (more: number) =>
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex'),
      Buffer.alloc(more),
    ]);
  await write('logo.png', png(30));
  await symlink('/etc/passwd', join(folder, taskId, 'link'));
  await commit();
  await write('logo.png', png(50));
  const { id } = (await commit()) as { id: string };
  const { body } = await get(taskId, `?commit=${id}`);
  assert.deepEqual(body.files, [
    {
      path: 'logo.png',
      status: 'modified',
      binary: true,
      ...modes('100644', '100644'),
      old_size: 54,
      new_size: 74,
    },
  ]);
  const file = (path: string, side: string) =>
    get(taskId, `?format=file&commit=${id}&path=${path}&side=${side}`);
  for (const [side, size] of [
    ['old', '54'],
    ['new', '74'],
  ] as const) {
    const { status, headers } = await file('logo.png', side);
    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('content-length')],
      [200, 'image/png', size],
    );
    assert.match(headers.get('content-disposition') ?? '', /^attachment/);
  }
  // A link is what it says, and is not followed.
  assert.equal((await file('link', 'new')).text, '/etc/passwd');
  for (const path of ['none', '']) assert.notEqual((await file(path, 'new')).status, 200);
  const none = await get(taskId, '?format=file&path=logo.png&side=old');
  assert.deepEqual([none.status, none.body.code], [404, 'file_not_found']);
  const outside = await get(taskId, '?format=file&path=../config');
  assert.equal(outside.status, 422);
  const unnamed = await get(taskId, '?format=file');
  const [{ type, loc }] = unnamed.body.detail;
  assert.deepEqual([unnamed.status, type, loc], [422, 'missing', ['query', 'path']]);
});
