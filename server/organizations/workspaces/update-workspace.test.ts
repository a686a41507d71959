import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

async function tenant(options: { twoFactor?: boolean } = {}) {
  const [owner, admin] = [await fixtures.user(options), await fixtures.user(options)];
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  await fixtures.member(workspace, admin, 'admin');
  const path = `/api/organizations/${workspace}`;
  const read = (by = owner) => request('GET', path, { key: by.key });
  const update = (body: object, by: { key: string } = owner, headers = {}) =>
    request('PUT', path, { key: by.key, body, headers });
  return { owner, admin, workspace, path, read, update };
}

test('200: what was sent is changed, what was omitted stays, and the change is recorded', async () => {
  const { workspace, update, read, admin } = await tenant();
  const first = await update({ name: 'Acme Ltd', color: '#aabbcc', icon: 'rocket' }, admin);
  assert.equal(first.status, 200);
  const second = await update({ icon: 'anchor' }, admin);
  const { name, color, icon, require_2fa, role, created_at, updated_at } = second.body;
  assert.deepEqual(
    { name, color, icon, require_2fa, role },
    { name: 'Acme Ltd', color: '#AABBCC', icon: 'anchor', require_2fa: false, role: 'admin' },
  );
  assert.ok(created_at < updated_at);
  const now = await read(admin);
  assert.deepEqual(now.body, second.body);
  assert.equal(now.headers.get('etag'), second.headers.get('etag'));
  const events = await db.many<{ before: { icon: string }; after: { icon: string } }>(sql`
    select before, after from audit_event
     where organization_id = ${workspace} and action = 'workspace.update' order by occurred_at`);
  assert.equal(events.length, 2);
  assert.deepEqual([events[1]?.before.icon, events[1]?.after.icon], ['rocket', 'anchor']);
});

test('200: null removes the colour and the icon', async () => {
  const { update } = await tenant();
  await update({ color: '#aabbcc', icon: 'rocket' });
  const { body } = await update({ color: null, icon: null });
  assert.ok(!('color' in body) && !('icon' in body));
});

test('200: an empty update, the current values and the workspace as it was read write nothing', async () => {
  const { update, read } = await tenant();
  const { body, headers } = await read();
  await unchanged(async () => {
    for (const same of [{}, { name: 'Acme' }, { color: null }, body]) {
      const reply = await update(same);
      assert.deepEqual([reply.status, reply.body], [200, body]);
      assert.equal(reply.headers.get('etag'), headers.get('etag'));
    }
  });
});

test('200: a two-factor policy locks members without a second factor out at once; they stay members', async () => {
  const { owner, admin, workspace, path, update } = await tenant({ twoFactor: true });
  const careless = await fixtures.user();
  await fixtures.member(workspace, careless);
  const open = () => request('GET', path, { key: careless.key });
  assert.equal((await open()).status, 200);
  assert.equal((await update({ require_2fa: true }, admin)).status, 200);
  assert.deepEqual((await open()).body.code, 'two_factor_required');
  assert.equal((await request('GET', path, { key: owner.key })).body.member_count, 3);
  await update({ require_2fa: false }, admin);
  assert.equal((await open()).status, 200);
});

test('403: only the owner decides whether admins manage admins; sending the value back is fine', async () => {
  const { admin, update } = await tenant();
  for (const now of [true, false]) {
    assert.equal((await update({ admins_manage_admins: now })).body.admins_manage_admins, now);
    const refused = await unchanged(() =>
      update({ name: 'Taken over', admins_manage_admins: !now }, admin),
    );
    assert.deepEqual([refused.status, refused.body.code], [403, 'owner_decides']);
    const name = `Named while ${now}`;
    const { status, body } = await update({ name, admins_manage_admins: now }, admin);
    assert.deepEqual([status, body.name, body.admins_manage_admins], [200, name, now]);
  }
});

test('412: a stale If-Match changes nothing, even if the owner alone might have made the change', async () => {
  const { admin, update, read } = await tenant();
  const etag = (await read()).headers.get('etag') as string;
  await update({ admins_manage_admins: false });
  for (const [stale, body] of [
    [etag, { name: 'Late' }],
    [etag, { admins_manage_admins: true }],
    ['"1"', {}],
    [`W/${etag}`, {}],
  ] as const) {
    const reply = await unchanged(() => update(body, admin, { 'if-match': stale }));
    assert.deepEqual([reply.status, reply.body.code], [412, 'workspace_changed']);
  }
  const now = (await read()).headers.get('etag') as string;
  assert.equal((await update({ name: 'In time' }, admin, { 'if-match': now })).status, 200);
});

test('422: no one requires a second factor that they do not have', async () => {
  const { update } = await tenant();
  const locked = await unchanged(() => update({ require_2fa: true }));
  assert.equal(locked.status, 422);
  const [{ type, loc, input }] = locked.body.detail;
  assert.deepEqual([type, loc, input], ['two_factor_required', ['body', 'require_2fa'], true]);
});

test('race: of several updates with one If-Match one is made', async () => {
  for (let round = 0; round < 5; round++) {
    const { read, update, owner } = await tenant();
    const etag = (await read()).headers.get('etag') as string;
    const replies = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => update({ name }, owner, { 'if-match': etag })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412, 412, 412]);
    const winner = replies.find(({ status }) => status === 200);
    assert.equal((await read()).body.name, winner?.body.name);
  }
});

test('race: update against deletion: it was updated before, or it is not there any more', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, path, update } = await tenant();
    const [updated, deleted] = await Promise.all([
      update({ name: 'Too late?' }),
      request('DELETE', path, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok([200, 404].includes(updated.status), updated.text);
    assert.equal((await update({ name: 'Too late' })).status, 404);
  }
});
