import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}`;
  const update = (body: object, headers: Record<string, string> = {}, by = owner) =>
    request('PUT', path, { key: by.key, body, headers });
  const get = () => request('GET', path, { key: owner.key });
  return { owner, workspace, project, path, update, get };
}

test('200: each field by itself, and all others stay', async () => {
  const { update, get } = await tenant();
  for (const [field, sent, shown] of [
    ['name', ' Next ', 'Next'],
    ['erp_version', '19.0', '19.0'],
    ['erp_edition', 'enterprise', 'enterprise'],
    ['default_model', 'sandbox', 'sandbox'],
    ['plan_approval', 'automatic', 'automatic'],
    ['spend_cap', 99.9, '99.90'],
    ['spend_cap', '1000000', '1000000.00'],
  ] as const) {
    const before = await get();
    const reply = await update({ [field]: sent });
    assert.equal(reply.status, 200, reply.text);
    const { updated_at, ...rest } = reply.body;
    assert.ok(updated_at >= before.body.updated_at);
    assert.deepEqual({ ...rest, updated_at: 0 }, { ...before.body, [field]: shown, updated_at: 0 });
    assert.notEqual(reply.headers.get('etag'), before.headers.get('etag'));
    assert.deepEqual((await get()).body, reply.body);
  }
});

test('200: null clears the default model and the spend cap', async () => {
  const { update } = await tenant();
  await update({ default_model: 'sandbox', spend_cap: 5 });
  const { body } = await update({ default_model: null, spend_cap: null });
  assert.ok(!('default_model' in body) && !('spend_cap' in body));
});

test('200: {} , the values it has and the whole project sent back write nothing', async () => {
  const { update, get } = await tenant();
  await update({ spend_cap: '7.00', default_model: 'sandbox', archived: true });
  const first = await get();
  for (const body of [{}, { name: first.body.name, archived: true }, first.body]) {
    const reply = await unchanged(() => update(body));
    assert.equal(reply.text, first.text);
    assert.equal(reply.headers.get('etag'), first.headers.get('etag'));
  }
  const edited = await update({ ...first.body, name: 'Edited', id: randomUUID(), role: 'owner' });
  assert.deepEqual(
    { ...edited.body, updated_at: 0 },
    { ...first.body, name: 'Edited', updated_at: 0 },
  );
});

test('200: archiving keeps its time until the project is taken back; an archived one can be changed', async () => {
  const { update, project } = await tenant();
  const archived = (await update({ archived: true })).body;
  assert.equal(archived.archived, true);
  assert.ok(archived.archived_at >= archived.created_at);
  const renamed = (await update({ name: 'Still mine', archived: true })).body;
  assert.deepEqual([renamed.name, renamed.archived_at], ['Still mine', archived.archived_at]);
  const back = (await update({ archived: false })).body;
  assert.equal(back.archived, false);
  assert.ok(!('archived_at' in back));
  const trail = await db.many<{ before: { archived: boolean }; after: { archived: boolean } }>(sql`
    select before, after from audit_event
     where project_id = ${project} and action = 'project.update' order by id`);
  assert.deepEqual(
    trail.map(({ before, after }) => [before.archived, after.archived]),
    [
      [false, true],
      [true, true],
      [true, false],
    ],
  );
});

test('200: what the catalog no longer offers stays until it is changed', async () => {
  const { update, project, get } = await tenant();
  await db.many(
    sql`update project set erp_version = '9.0', default_model = 'gpt-0' where id = ${project}`,
  );
  const { body } = await get();
  assert.equal((await update({ ...body, name: 'Old but mine' })).status, 200);
  for (const [change, type, field] of [
    [{ erp_edition: 'enterprise' }, 'erp_version_not_offered', 'erp_version'],
    [{ erp_version: '8.0' }, 'erp_version_not_offered', 'erp_version'],
    [{ default_model: 'gpt-1' }, 'model_not_offered', 'default_model'],
  ] as const) {
    const reply = await unchanged(() => update(change));
    const [item] = reply.body.detail;
    assert.deepEqual([reply.status, item.type, item.loc], [422, type, ['body', field]]);
  }
  assert.equal((await update({ erp_version: '19.0', default_model: null })).status, 200);
});

test('200: of a released project, its admins are the collaborators with that role', async () => {
  const [admin, member] = [await fixtures.user(), await fixtures.user()];
  const released = await fixtures.project({});
  await fixtures.grant(released, admin, 'admin');
  await fixtures.grant(released, member, 'member');
  const rename = ({ key }: { key: string }) =>
    request('PUT', `/api/projects/${released}`, { key, body: { name: 'Orphan' } });
  assert.equal((await unchanged(() => rename(member))).status, 403);
  assert.equal((await rename(admin)).body.name, 'Orphan');
});

test('412: a stale ETag changes nothing, a fresh one does', async () => {
  const { update, get } = await tenant();
  const etag = (await get()).headers.get('etag') as string;
  const fresh = await update({ name: 'First' }, { 'if-match': etag });
  assert.equal(fresh.status, 200);
  for (const stale of [etag, 'W/"1"', '"nope"']) {
    const reply = await unchanged(() => update({ name: 'Second' }, { 'if-match': stale }));
    assert.deepEqual([reply.status, reply.body.code], [412, 'project_changed']);
  }
  assert.equal((await update({ name: 'Third' }, { 'if-match': '*' })).status, 200);
});
