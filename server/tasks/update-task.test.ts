import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.task(project, owner);
  const put = (body: object, key = owner.key, headers = {}) =>
    request('PUT', `/api/tasks/${id}`, { key, body, headers });
  return { owner, workspace, project, id, put };
}

test('200: each field by itself, null clears, and archived comes and goes', async () => {
  const { put } = await tenant();
  const title = await put({ title: ' New ' });
  assert.deepEqual([title.status, title.body.title], [200, 'New']);
  assert.equal((await put({ model: 'sandbox' })).body.model, 'sandbox');
  assert.deepEqual((await put({ spend_cap: 3 })).body.spend, { amount: '0.00', cap: '3.00' });
  const archived = await put({ archived: true });
  assert.deepEqual([archived.body.archived, archived.body.title], [true, 'New']);
  const all = await put({ archived: false, spend_cap: null, model: null });
  assert.deepEqual([all.body.archived, all.body.spend], [false, { amount: '0.00' }]);
});

test('200: {} and the values it has already write nothing; a change of status changes the ETag', async () => {
  const { id, put } = await tenant();
  const first = await put({ title: 'New', archived: true });
  for (const body of [{}, { title: 'New' }, { archived: true }, { title: 'New', status: 'x' }]) {
    const reply = await unchanged(() => put(body));
    assert.deepEqual(
      [reply.text, reply.headers.get('etag')],
      [first.text, first.headers.get('etag')],
    );
  }
  await db.many(sql`update task set fence = fence + 1, last_turn = 4 where id = ${id}`);
  assert.equal((await put({})).headers.get('etag'), first.headers.get('etag'));
  await fixtures.taskStatus(id, 'queued');
  assert.notEqual((await put({})).headers.get('etag'), first.headers.get('etag'));
});

test('200: what a pod does changes no ETag, and refuses no update of what was read before', async () => {
  const { owner, id, put } = await tenant();
  const get = () => request('GET', `/api/tasks/${id}`, { key: owner.key });
  const before = (await get()).headers.get('etag') as string;
  await db.many(sql`insert into pod (task_id, driver, state) values (${id}, 'process', 'running')`);
  const running = await get();
  await db.many(sql`update pod set state = 'paused' where task_id = ${id}`);
  const paused = await get();
  assert.deepEqual([running.body.pod.state, paused.body.pod.state], ['running', 'paused']);
  assert.deepEqual(
    [running, paused].map(({ headers }) => headers.get('etag')),
    [before, before],
  );
  assert.equal((await put({ title: 'New' }, owner.key, { 'if-match': before })).status, 200);
});

test('422: a title that cannot be seen', async () => {
  const { put } = await tenant();
  const reply = await unchanged(() => put({ title: '\u202e' }));
  assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'character_not_allowed']);
});

test('403, 412, 422: viewers and strangers; what has changed; a model that is not offered', async () => {
  const { workspace, put, id } = await tenant();
  const [viewer, member, stranger] = await Promise.all(
    Array.from({ length: 3 }, () => fixtures.user()),
  );
  assert.ok(viewer && member && stranger);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, member);
  for (const { key } of [viewer, stranger])
    assert.equal((await unchanged(() => put({ title: 'x' }, key))).status, 403);
  const read = await put({ title: 'One' }, member.key);
  await put({ title: 'Two' });
  const ifMatch = { 'if-match': read.headers.get('etag') as string };
  const stale = await unchanged(() => put({ title: 'Three' }, member.key, ifMatch));
  assert.deepEqual([stale.status, stale.body.code], [412, 'task_changed']);
  const unknown = await unchanged(() => put({ model: 'unheard-of', title: 'Four' }));
  assert.deepEqual(
    [unknown.status, unknown.body.detail[0].type, unknown.body.detail[0].loc],
    [422, 'model_not_offered', ['body', 'model']],
  );
  assert.equal((await unchanged(() => put({ title: null }))).status, 422);
  await db.many(sql`update task set model = 'retired' where id = ${id}`);
  assert.equal((await put({ model: 'retired', title: 'Five' })).body.title, 'Five');
});
