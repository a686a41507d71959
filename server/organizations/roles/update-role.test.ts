import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

type Acting = 'admin' | 'member' | 'viewer';

async function tenant(options: { actsAs?: Acting; scope?: 'workspace' | 'project' } = {}) {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  const role = await fixtures.role(workspace, { name: 'Auditor', ...options });
  const path = `/api/organizations/${workspace}/roles`;
  const read = () => request('GET', `${path}/${role}`, { key: owner.key });
  const update = (body: object, by: { key: string } = owner, headers = {}, id = role) =>
    request('PUT', `${path}/${id}`, { key: by.key, body, headers });
  const ownerDecides = () =>
    db.many(sql`update organization set admins_manage_admins = false where id = ${workspace}`);
  return { owner, admin, workspace, role, path, read, update, ownerDecides };
}

test('200: name, colour and rights change for everybody who has the role; slug and scope stay', async () => {
  const { workspace, role, read, update } = await tenant({ actsAs: 'member' });
  const user = await fixtures.user();
  await fixtures.member(workspace, user, role);
  const before = (await read()).body;
  const manage = () =>
    request('POST', `/api/organizations/${workspace}/teams`, {
      key: user.key,
      body: { name: 'Theirs' },
    });
  assert.equal((await manage()).status, 403);
  const { status, body, headers } = await update({
    name: 'Deputy',
    color: '#00ff00',
    acts_as: 'admin',
  });
  assert.equal(status, 200);
  assert.deepEqual(
    { ...body, updated_at: '' },
    {
      ...before,
      name: 'Deputy',
      color: '#00FF00',
      acts_as: 'admin',
      member_count: 1,
      updated_at: '',
    },
  );
  assert.equal((await manage()).status, 201);
  const now = await read();
  assert.deepEqual([now.body, now.headers.get('etag')], [body, headers.get('etag')]);
  const [event] = await db.many(sql`
    select action, organization_id, before->>'acts_as' as was, after->>'acts_as' as is
      from audit_event where target_id = ${role}`);
  assert.deepEqual(event, {
    action: 'role.update',
    organization_id: workspace,
    was: 'member',
    is: 'admin',
  });
});

test('200: an empty update, the role as it was read, and another case of its name', async () => {
  const { read, update } = await tenant();
  const { body, headers } = await read();
  await unchanged(async () => {
    for (const same of [{}, { name: 'Auditor' }, body, { scope: 'project', slug: 'owner' }]) {
      const reply = await update(same);
      assert.deepEqual([reply.status, reply.body], [200, body]);
      assert.equal(reply.headers.get('etag'), headers.get('etag'));
    }
  });
  assert.equal((await update({ name: 'AUDITOR' })).body.name, 'AUDITOR');
});

test('403: where the owner decides about admins, an admin makes none by a role that is assigned or offered', async () => {
  for (const [from, to] of [
    ['member', 'admin'],
    ['admin', 'viewer'],
  ] as const) {
    for (const use of ['member', 'invitation', 'expired invitation']) {
      const { admin, workspace, role, update, ownerDecides } = await tenant({ actsAs: from });
      if (use === 'member') await fixtures.member(workspace, await fixtures.user(), role);
      else
        await fixtures.invitation(workspace, {
          role,
          expiresInHours: use === 'invitation' ? 1 : -1,
        });
      await ownerDecides();
      const reply = await unchanged(() => update({ name: 'New', acts_as: to }, admin));
      assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides'], use);
      assert.equal((await update({ name: 'New' }, admin)).status, 200, 'but may rename it');
      assert.equal((await update({ acts_as: to })).status, 200, 'the owner may');
    }
  }
});

test('403: a deputy whose own role acts as admin cannot make admins either, nor unmake themselves', async () => {
  const { workspace, role, update, ownerDecides } = await tenant({ actsAs: 'admin' });
  const deputy = await fixtures.user();
  await fixtures.member(workspace, deputy, role);
  await ownerDecides();
  const reply = await unchanged(() => update({ acts_as: 'member' }, deputy));
  assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides']);
});

test('200: an admin changes any role that makes no admin: unused, of projects, or between other rights', async () => {
  const unused = await tenant({ actsAs: 'member' });
  await fixtures.invitation(unused.workspace, { role: unused.role, status: 'declined' });
  const ofProjects = await tenant({ actsAs: 'member', scope: 'project' });
  const project = await fixtures.project({ organizationId: ofProjects.workspace });
  await fixtures.grant(project, await fixtures.user(), ofProjects.role);
  for (const { admin, update, ownerDecides } of [unused, ofProjects]) {
    await ownerDecides();
    assert.equal((await update({ acts_as: 'admin' }, admin)).status, 200);
  }
  const held = await tenant({ actsAs: 'member' });
  await fixtures.member(held.workspace, await fixtures.user(), held.role);
  await held.ownerDecides();
  assert.equal((await held.update({ acts_as: 'viewer' }, held.admin)).status, 200);
});

test('403: members, viewers, collaborators and strangers change no role, not even their own', async () => {
  const { workspace, role, update } = await tenant({ actsAs: 'member' });
  const [member, viewer, guest, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, member, role);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'admin');
  for (const by of [member, viewer, guest, stranger]) {
    const reply = await unchanged(() => update({ acts_as: 'admin' }, by));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
});

test('404 and 409: a role of another workspace is not there, a built-in one is not changed', async () => {
  const { owner, path, update } = await tenant();
  const other = await fixtures.role(await fixtures.workspace(owner));
  const away = await unchanged(() => update({ name: 'Mine' }, owner, {}, other));
  assert.equal(away.status, 404);
  const roles = (await request('GET', path, { key: owner.key })).body;
  await unchanged(async () => {
    for (const { id, is_custom } of roles) {
      if (is_custom) continue;
      const reply = await update({ name: 'Mine' }, owner, {}, id);
      assert.deepEqual([reply.status, reply.body.code], [409, 'built_in_role']);
    }
  });
});

test('412 and 422: a stale If-Match, a taken name, null', async () => {
  const { workspace, owner, read, update } = await tenant();
  const etag = (await read()).headers.get('etag') as string;
  await update({ name: 'First' });
  const stale = await unchanged(() => update({ name: 'Second' }, owner, { 'if-match': etag }));
  assert.deepEqual([stale.status, stale.body.code], [412, 'role_changed']);
  await fixtures.role(workspace, { name: 'Taken' });
  for (const name of ['TAKEN', 'Owner', 'project viewer']) {
    const { status, body } = await unchanged(() => update({ name }));
    assert.deepEqual([status, body.detail[0].type], [422, 'role_name_taken']);
  }
  await unchanged(async () => {
    for (const field of ['name', 'color', 'acts_as']) {
      const { status, body } = await update({ [field]: null });
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', field]]);
    }
    assert.equal((await update({ acts_as: 'owner' })).status, 422);
  });
});
