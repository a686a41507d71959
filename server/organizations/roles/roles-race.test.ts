import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();
const ADMIN = '00000000-0000-4000-8000-000000000002';
const VIEWER = '00000000-0000-4000-8000-000000000004';
const ROUNDS = 8;

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const at = `/api/organizations/${workspace}`;
  const role = await fixtures.role(workspace, { actsAs: 'member' });
  const send = (method: string, path: string, body?: object, by = owner, headers = {}) =>
    request(method, `${at}${path}`, { key: by.key, body, headers });
  return { owner, workspace, role, send };
}

const good = { name: 'Auditor', color: '#112233', acts_as: 'viewer' };

test('race: of several roles with one name one is made; those with one slug get numbers', async () => {
  const { send } = await tenant();
  const same = await Promise.all(
    ['Auditor', 'AUDITOR', 'auditor', 'ａｕｄｉｔｏｒ'].map((name) =>
      send('POST', '/roles', { ...good, name }),
    ),
  );
  assert.deepEqual(same.map(({ status }) => status).sort(), [201, 422, 422, 422]);
  const alike = await Promise.all(
    ['Auditor!', 'Auditor?', 'Auditor.'].map((name) => send('POST', '/roles', { ...good, name })),
  );
  assert.deepEqual(alike.map(({ body }) => body.slug).sort(), [
    'auditor-2',
    'auditor-3',
    'auditor-4',
  ]);
});

test('race: the fiftieth role is made once', async () => {
  const { workspace, send } = await tenant();
  for (let i = 0; i < 48; i++) await fixtures.role(workspace);
  const replies = await Promise.all(
    [1, 2, 3, 4].map((n) => send('POST', '/roles', { ...good, name: `Role number ${n}` })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
});

test('race: of two updates with one If-Match one is made; of two deletions one is done', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { owner, role, send } = await tenant();
    const { headers } = await send('GET', `/roles/${role}`);
    const etag = { 'if-match': headers.get('etag') as string };
    const updated = await Promise.all(
      ['One', 'Two'].map((name) => send('PUT', `/roles/${role}`, { name }, owner, etag)),
    );
    assert.deepEqual(updated.map(({ status }) => status).sort(), [200, 412]);
    const deleted = await Promise.all([1, 2].map(() => send('DELETE', `/roles/${role}`)));
    assert.deepEqual(deleted.map(({ status }) => status).sort(), [204, 404]);
  }
});

test('race: a role is given to a member while it is deleted: it is in use, or it is not there to give', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { workspace, role, send } = await tenant();
    const user = await fixtures.user();
    await fixtures.member(workspace, user);
    const [given, deleted] = await Promise.all([
      send('PUT', `/members/${user.id}`, { role_id: role }),
      send('DELETE', `/roles/${role}`),
    ]);
    const outcome = `${given.status} ${deleted.status}`;
    assert.ok(['200 409', '422 204'].includes(outcome), `${outcome} ${given.text} ${deleted.text}`);
  }
});

test('race: a role is offered while it is deleted, with a replacement and without', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { workspace, role, send } = await tenant();
    const replacing = round % 2 === 0;
    const [offered, deleted] = await Promise.all([
      send('POST', '/invitations', { email: 'eve@example.com', role_id: role, team_ids: [] }),
      send('DELETE', `/roles/${role}${replacing ? `?replace_with=${VIEWER}` : ''}`),
    ]);
    const outcome = `${offered.status} ${deleted.status}`;
    assert.ok(
      (replacing ? ['201 204', '422 204'] : ['201 409', '422 204']).includes(outcome),
      `${outcome} ${offered.text} ${deleted.text}`,
    );
    if (replacing && offered.status === 201) {
      assert.deepEqual(
        await db.many(sql`select role_id from invitation where organization_id = ${workspace}`),
        [{ role_id: VIEWER }],
      );
    }
  }
});

test('race: an admin changes a role to act as admin while it is given: no admin is made against the owner’s will', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { workspace, role, send } = await tenant();
    const [admin, user] = [await fixtures.user(), await fixtures.user()];
    await fixtures.member(workspace, admin, 'admin');
    await fixtures.member(workspace, user, 'viewer');
    await db.many(sql`
      update organization set admins_manage_admins = false where id = ${workspace}`);
    const [given, updated] = await Promise.all([
      send('PUT', `/members/${user.id}`, { role_id: role }, admin),
      send('PUT', `/roles/${role}`, { acts_as: 'admin' }, admin),
    ]);
    const outcome = `${given.status} ${updated.status}`;
    assert.ok(['200 403', '403 200'].includes(outcome), outcome);
  }
});

test('race: an admin who is removed meanwhile changes no role', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { workspace, role, send } = await tenant();
    const admin = await fixtures.user();
    await fixtures.member(workspace, admin, ADMIN);
    const [removed, updated] = await Promise.all([
      send('DELETE', `/members/${admin.id}`),
      send('PUT', `/roles/${role}`, { name: 'Changed' }, admin),
    ]);
    assert.equal(removed.status, 200);
    assert.ok([200, 403].includes(updated.status));
    const order = await db.many<{ action: string }>(sql`
      select action from audit_event where organization_id = ${workspace}
         and outcome = 'done' order by id`);
    if (updated.status === 200)
      assert.deepEqual(
        order.map(({ action }) => action),
        ['role.update', 'member.remove'],
      );
  }
});
