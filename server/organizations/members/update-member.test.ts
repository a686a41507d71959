import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant({ adminsManageAdmins = true } = {}) {
  const [owner, admin, second, member] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ]);
  const workspace = await fixtures.workspace(owner);
  await db.many(sql`
    update organization set admins_manage_admins = ${adminsManageAdmins} where id = ${workspace}`);
  for (const each of [admin, second]) await fixtures.member(workspace, each, 'admin');
  await fixtures.member(workspace, member, 'member');
  const path = (user: User) => `/api/organizations/${workspace}/members/${user.id}`;
  const update = (by: User, whom: User, body: object, headers = {}) =>
    request('PUT', path(whom), { key: by.key, body, headers });
  return { owner, admin, second, member, workspace, path, update };
}

test('200: a built-in role by its slug or id, a custom role by its id, at once, with its name and colour', async () => {
  const { owner, member, workspace, update } = await tenant();
  const custom = await fixtures.role(workspace, { name: 'Auditor', actsAs: 'viewer' });
  const first = await update(owner, member, { role: 'admin' });
  assert.deepEqual([first.status, first.body.role, first.body.role_name], [200, 'admin', 'Admin']);
  const list = (key: string) => request('GET', `/api/organizations/${workspace}/members`, { key });
  const [listed] = (await list(member.key)).body.filter(
    (each: { user_id: string }) => each.user_id === member.id,
  );
  assert.deepEqual(first.body, listed);
  const second = await update(owner, member, { role_id: custom });
  assert.deepEqual(
    [second.body.role_id, second.body.role_name, second.body.role_color],
    [custom, 'Auditor', '#AA5533'],
  );
  assert.equal(
    (await update(member, owner, {})).status,
    403,
    'acts as a viewer with the next call',
  );
  const third = await update(owner, member, { role_id: '00000000-0000-4000-8000-000000000004' });
  assert.equal(third.body.role, 'viewer');
  const audit = await db.many<{ action: string; before: object; after: object }>(sql`
    select action, before ->> 'role' as before, after ->> 'role' as after from audit_event
     where organization_id = ${workspace} and target_id = ${member.id} order by occurred_at`);
  assert.deepEqual(
    audit.map(({ action, before, after }) => [action, before, after]),
    [
      ['member.update', 'member', 'admin'],
      ['member.update', 'admin', second.body.role],
      ['member.update', second.body.role, 'viewer'],
    ],
  );
});

test('200: {}, the role they have, and read-only fields write nothing; for the owner too', async () => {
  const { owner, member, update } = await tenant();
  const first = await update(owner, member, {});
  const { role, role_id, ...rest } = first.body;
  for (const body of [{}, { role }, { role_id }, rest, { teams: null, is_owner: true }]) {
    const reply = await unchanged(() => update(owner, member, body));
    assert.deepEqual([reply.status, reply.text], [200, first.text], JSON.stringify(body));
    assert.equal(reply.headers.get('etag'), first.headers.get('etag'));
  }
  const itself = await unchanged(() => update(owner, owner, {}));
  assert.deepEqual([itself.status, itself.body.role], [200, 'owner']);
});

test('200: an admin steps down, and may not step up again', async () => {
  for (const adminsManageAdmins of [true, false]) {
    const { admin, update } = await tenant({ adminsManageAdmins });
    const reply = await update(admin, admin, { role: 'member' });
    assert.deepEqual([reply.status, reply.body.role], [200, 'member']);
    const again = await unchanged(() => update(admin, admin, { role: 'admin' }));
    assert.deepEqual([again.status, again.body.code], [403, 'forbidden']);
  }
});

test('200, 412: If-Match lets a change through once', async () => {
  const { owner, member, update } = await tenant();
  const { headers } = await update(owner, member, {});
  const match = { 'if-match': headers.get('etag') as string };
  const first = await update(owner, member, { role: 'viewer' }, match);
  assert.equal(first.status, 200);
  for (const body of [{ role: 'admin' }, {}]) {
    const late = await unchanged(() => update(owner, member, body, match));
    assert.deepEqual([late.status, late.body.code], [412, 'member_changed']);
  }
});

test('403: members, viewers, outsiders and strangers cannot change anyone, not even themselves', async () => {
  const { owner, member, workspace, update } = await tenant();
  const [viewer, collaborator, stranger] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ]);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, collaborator, 'admin');
  const custom = await fixtures.user();
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'member' }));
  for (const by of [member, viewer, custom, collaborator, stranger]) {
    for (const whom of [owner, viewer, member]) {
      const reply = await unchanged(() => update(by, whom, { role: 'admin' }));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
  }
});

test('403: who may not manage members gets one answer, whoever is a member', async () => {
  const { owner, admin, member, workspace } = await tenant();
  const [stranger, collaborator] = [await fixtures.user(), await fixtures.user()];
  await fixtures.grant(
    await fixtures.project({ organizationId: workspace }),
    collaborator,
    'admin',
  );
  const send = (method: 'PUT' | 'DELETE', by: User, id: string) =>
    unchanged(() =>
      request(method, `/api/organizations/${workspace}/members/${id}`, {
        key: by.key,
        ...(method === 'PUT' && { body: { role: 'admin' } }),
      }),
    );
  const seen = async (by: User) => {
    const texts = new Set<string>();
    for (const method of ['PUT', 'DELETE'] as const)
      for (const id of [owner.id, admin.id, stranger.id, by.id, randomUUID()])
        texts.add((await send(method, by, id)).text);
    return [...texts].map((text) => JSON.parse(text).code);
  };
  for (const by of [stranger, collaborator]) assert.deepEqual(await seen(by), ['forbidden']);
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  for (const by of [admin, member]) assert.deepEqual(await seen(by), ['two_factor_required']);
  for (const by of [stranger, collaborator]) assert.deepEqual(await seen(by), ['forbidden']);
});

test('403: where the owner alone manages admins, an admin makes and unmakes none; the owner does', async () => {
  const { owner, admin, second, member, workspace, update } = await tenant({
    adminsManageAdmins: false,
  });
  const admins = await fixtures.role(workspace, { actsAs: 'admin' });
  for (const [whom, body] of [
    [member, { role: 'admin' }],
    [member, { role_id: admins }],
    [second, { role: 'viewer' }],
    [second, { role_id: admins }],
  ] as const) {
    const reply = await unchanged(() => update(admin, whom, body));
    assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides']);
  }
  assert.equal((await update(admin, member, { role: 'viewer' })).status, 200);
  assert.equal((await update(owner, member, { role: 'admin' })).status, 200);
  assert.equal((await update(owner, second, { role: 'viewer' })).status, 200);
});

test('200: otherwise admins make and unmake admins; so does who acts as one by a custom role', async () => {
  const { admin, second, member, workspace, update } = await tenant();
  const admins = await fixtures.role(workspace, { actsAs: 'admin' });
  assert.equal((await update(admin, member, { role_id: admins })).status, 200);
  assert.equal((await update(member, second, { role: 'viewer' })).status, 200);
});

test('404: a stranger, a former member, and a member of another workspace of the same owner', async () => {
  const { owner, member, workspace, update } = await tenant();
  const [stranger, elsewhere] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(await fixtures.workspace(owner), elsewhere);
  await fixtures.removeMember(workspace, member.id);
  for (const whom of [stranger, elsewhere, member]) {
    const reply = await unchanged(() => update(owner, whom, { role: 'viewer' }));
    assert.equal(reply.status, 404);
  }
});

test('409: no one changes the role of the owner', async () => {
  const { owner, admin, update } = await tenant();
  for (const by of [owner, admin]) {
    for (const role of ['admin', 'viewer']) {
      const reply = await unchanged(() => update(by, owner, { role }));
      assert.deepEqual([reply.status, reply.body.code], [409, 'is_owner']);
    }
  }
});

test('422: roles that cannot be given, and both fields at once', async () => {
  const { owner, member, workspace, update } = await tenant();
  const foreign = await fixtures.role(await fixtures.workspace(owner));
  const ofProjects = await fixtures.role(workspace, { scope: 'project' });
  const given = await fixtures.role(workspace);
  const OWNER = '00000000-0000-4000-8000-000000000001';
  const PROJECT_ADMIN = '00000000-0000-4000-8000-000000000012';
  for (const [body, type, loc] of [
    [{ role: 'owner' }, 'literal_error', 'role'],
    [{ role: null }, 'literal_error', 'role'],
    [{ role_id: null }, 'uuid_type', 'role_id'],
    [{ role_id: 'admin' }, 'uuid_parsing', 'role_id'],
    [{ role_id: OWNER }, 'role_not_found', 'role_id'],
    [{ role_id: PROJECT_ADMIN }, 'role_not_found', 'role_id'],
    [{ role_id: foreign }, 'role_not_found', 'role_id'],
    [{ role_id: ofProjects }, 'role_not_found', 'role_id'],
    [{ role_id: randomUUID() }, 'role_not_found', 'role_id'],
    [{ role: 'viewer', role_id: given }, 'role_or_role_id', 'role'],
    [{ rôle: 'viewer' }, 'extra_forbidden', 'rôle'],
  ] as const) {
    const { status, body: answer } = await unchanged(() => update(owner, member, body));
    assert.deepEqual(
      [status, answer.detail[0].type, answer.detail[0].loc],
      [422, type, ['body', loc]],
      JSON.stringify(body),
    );
  }
});
