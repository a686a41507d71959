import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'member');
  const project = await fixtures.project({ organizationId: workspace });
  const places = [
    { path: `/api/organizations/${workspace}/instructions`, id: workspace },
    { path: `/api/projects/${project}/instructions`, id: project },
  ];
  const read = (path: string, by: User = member) => request('GET', path, { key: by.key });
  const set = (path: string, text: unknown, by: User = owner, headers = {}) =>
    request('PUT', path, { key: by.key, body: { text }, headers });
  return { owner, member, workspace, places, read, set };
}

test('200: instructions of a workspace and of a project are set, read, removed and audited', async () => {
  const { owner, workspace, places, read, set } = await tenant();
  for (const { path, id } of places) {
    assert.deepEqual((await read(path)).body, { text: '' });
    const reply = await set(path, 'Write British English.');
    assert.deepEqual([reply.status, reply.body], [200, { text: 'Write British English.' }]);
    const after = await read(path);
    assert.deepEqual(after.body, reply.body);
    assert.equal(after.headers.get('etag'), reply.headers.get('etag'));
    await unchanged(() => set(path, 'Write British English.'));
    assert.deepEqual((await set(path, '')).body, { text: '' });
    const rows = await db.many(sql`
      select actor_user_id as by, organization_id as workspace, before->>'instructions' as before,
             after->>'instructions' as after
        from audit_event where target_id = ${id} and action like '%.instruct'
       order by occurred_at`);
    const by = { by: owner.id, workspace };
    const text = 'Write British English.';
    assert.deepEqual(rows, [
      { ...by, before: null, after: text },
      { ...by, before: text, after: null },
    ]);
  }
});

test('412: an older version than the current one', async () => {
  const { places, read, set } = await tenant();
  for (const { path } of places) {
    const etag = (await read(path)).headers.get('etag') ?? '';
    await set(path, 'First.');
    const reply = await unchanged(() => set(path, 'Second.', undefined, { 'if-match': etag }));
    assert.deepEqual([reply.status, reply.body.code], [412, 'instructions_changed']);
  }
});

test('422: 20,000 characters, and not one more', async () => {
  const { places, set } = await tenant();
  for (const { path } of places) {
    assert.equal((await set(path, '€'.repeat(20_000))).status, 200);
    assert.equal((await unchanged(() => set(path, '€'.repeat(20_001)))).status, 422);
  }
});
