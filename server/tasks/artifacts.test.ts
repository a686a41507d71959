import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { produce, turnOf } from '../testing/fixtures/tasks/stored-files.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness({ own: true });
const { db, files, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const task = await fixtures.task(project, owner);
const pathOf = (id = '') => `/api/tasks/${task}/artifacts${id === '' ? '' : `/${id}`}`;

async function stored(): Promise<number> {
  let count = 0;
  for await (const page of files.list()) count += page.length;
  return count;
}

test('what a turn produced is listed, shown and downloaded by everyone who can open the project', async () => {
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const id = await produce(harness, task, {
    path: 'out/report 1.csv',
    bytes: Buffer.from('a,b\n'),
  });
  const { status, body } = await request('GET', pathOf(id), { key: viewer.key });
  assert.deepEqual(
    [status, body.path, body.name, body.media_type, body.size],
    [200, 'out/report 1.csv', 'report 1.csv', 'text/plain', 4],
  );
  const listed = await request('GET', pathOf(), { key: viewer.key });
  assert.deepEqual(listed.body.at(-1), body);
  const content = await request('GET', `${pathOf(id)}/content`, { key: viewer.key });
  assert.deepEqual([content.status, content.text], [200, 'a,b\n']);
  const stranger = await fixtures.user();
  for (const path of [pathOf(), pathOf(id), `${pathOf(id)}/content`])
    assert.equal((await request('GET', path, { key: stranger.key })).status, 403);
  const other = await fixtures.task(project, owner);
  const elsewhere = `/api/tasks/${other}/artifacts/${id}/content`;
  assert.equal((await request('GET', elsewhere, { key: owner.key })).status, 404);
});

test('the same path of the same turn is replaced, and that of another turn is another file', async () => {
  const turn = await turnOf(db, task);
  const path = 'twice.txt';
  const first = await produce(harness, task, { turn, path, bytes: Buffer.from('1') });
  const second = await produce(harness, task, { turn, path, bytes: Buffer.from('2') });
  const third = await produce(harness, task, { path, bytes: Buffer.from('3') });
  assert.equal((await request('GET', pathOf(first), { key: owner.key })).status, 404);
  for (const [id, text] of [
    [second, '2'],
    [third, '3'],
  ] as const)
    assert.equal((await request('GET', `${pathOf(id)}/content`, { key: owner.key })).text, text);
});

test('refused: paths that leave the folder, a lost fence, a full project; nothing is stored', async () => {
  const turn = await turnOf(db, task);
  const before = await stored();
  await unchanged(async () => {
    for (const path of [
      '../x',
      '/x',
      'a/../x',
      'a//x',
      'a/',
      '',
      '.',
      'a\\b',
      'a\0b',
      'x'.repeat(256),
    ])
      assert.equal(await produce(harness, task, { turn, path }), 'path_refused', path);
    assert.equal(await produce(harness, task, { turn, fence: 1n }), 'lost_fence');
    assert.equal(await produce(harness, task, { turn, perProject: 3 }), 'storage_full');
  });
  assert.equal(await stored(), before);
});

test('refused: a fence that moves while the bytes arrive keeps the row of the earlier worker out', async () => {
  const fenced = await fixtures.task(project, owner);
  const turn = await turnOf(db, fenced);
  const slow = {
    ...files,
    put: async (...args: Parameters<typeof files.put>) => {
      const result = await files.put(...args);
      await db.many(sql`update task set fence = fence + 1 where id = ${fenced}`);
      return result;
    },
  };
  const before = await stored();
  assert.equal(await produce({ db, files: slow }, fenced, { turn }), 'lost_fence');
  assert.deepEqual(await db.many(sql`select from artifact where task_id = ${fenced}`), []);
  assert.equal(await stored(), before);
});
