import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

const BUILT_IN = {
  owner: '00000000-0000-4000-8000-000000000001',
  admin: '00000000-0000-4000-8000-000000000002',
  member: '00000000-0000-4000-8000-000000000003',
  projectViewer: '00000000-0000-4000-8000-000000000014',
};

async function tenant(
  options: { actsAs?: 'admin' | 'member' | 'viewer'; scope?: 'workspace' | 'project' } = {},
) {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  const role = await fixtures.role(workspace, options);
  const path = `/api/organizations/${workspace}/roles`;
  const remove = (replaceWith?: string, by: { key: string } = owner, headers = {}) =>
    request(
      'DELETE',
      `${path}/${role}${replaceWith === undefined ? '' : `?replace_with=${replaceWith}`}`,
      { key: by.key, headers },
    );
  const ownerDecides = () =>
    db.many(sql`update organization set admins_manage_admins = false where id = ${workspace}`);
  return { owner, admin, workspace, role, path, remove, ownerDecides };
}

const rolesOf = (workspace: string) =>
  db.many<{ what: string; role_id: string }>(sql`
    select 'member ' || user_id as what, role_id from membership
     where organization_id = ${workspace}
    union all
    select 'grant ' || g.user_id, g.role_id
      from project_grant g join project p on p.id = g.project_id
     where p.organization_id = ${workspace}
    union all
    select 'invitation ' || i.id, i.role_id
      from invitation i left join project p on p.id = i.project_id
     where coalesce(i.organization_id, p.organization_id) = ${workspace}`);

test('204: an unused role is gone, and its deletion recorded; again it is a 404', async () => {
  const { owner, workspace, role, path, remove } = await tenant();
  const gone = await remove();
  assert.deepEqual([gone.status, gone.text], [204, '']);
  const again = await unchanged(() => remove());
  assert.deepEqual([again.status, again.body.code], [404, 'not_found']);
  assert.equal((await request('GET', `${path}/${role}`, { key: owner.key })).status, 404);
  const events = await db.many(sql`
    select action, organization_id, before->>'acts_as' as was, after from audit_event
     where target_id = ${role}`);
  assert.deepEqual(events, [
    { action: 'role.delete', organization_id: workspace, was: 'member', after: {} },
  ]);
});

test('204: invitations that are no longer open keep the built-in role that the deleted one acted as', async () => {
  const { workspace, role, remove } = await tenant({ actsAs: 'admin' });
  const ids = [];
  for (const status of ['accepted', 'declined', 'revoked'])
    ids.push(await fixtures.invitation(workspace, { role, status }));
  assert.equal((await remove()).status, 204);
  const kept = await db.many(sql`select role_id from invitation where id = any(${ids}::uuid[])`);
  assert.deepEqual(
    kept,
    [1, 2, 3].map(() => ({ role_id: BUILT_IN.admin })),
  );
});

test('204: replace_with gives members and open invitations another role in one step', async () => {
  const { workspace, role, remove } = await tenant();
  const [one, two] = [await fixtures.user(), await fixtures.user()];
  for (const user of [one, two]) await fixtures.member(workspace, user, role);
  const open = await fixtures.invitation(workspace, { role });
  const declined = await fixtures.invitation(workspace, { role, status: 'declined' });
  const other = await fixtures.role(workspace, { actsAs: 'viewer' });
  assert.equal((await remove(other)).status, 204);
  const now = new Map((await rolesOf(workspace)).map(({ what, role_id }) => [what, role_id]));
  assert.equal(now.get(`member ${one.id}`), other);
  assert.equal(now.get(`member ${two.id}`), other);
  assert.equal(now.get(`invitation ${open}`), other);
  assert.equal(now.get(`invitation ${declined}`), BUILT_IN.member);
  const [event] = await db.many<{ after: object }>(sql`
    select after from audit_event where target_id = ${role}`);
  assert.deepEqual(event?.after, {
    replaced_with: { id: other, acts_as: 'viewer' },
    members: 2,
    project_people: 0,
    invitations: 1,
  });
});

test('204: the same for a role of projects: people and invitations of projects get another one', async () => {
  const { workspace, role, remove } = await tenant({ scope: 'project' });
  const project = await fixtures.project({ organizationId: workspace });
  const guest = await fixtures.user();
  await fixtures.grant(project, guest, role);
  const open = await fixtures.projectInvitation(project, { role });
  assert.equal((await remove(BUILT_IN.projectViewer)).status, 204);
  const now = new Map((await rolesOf(workspace)).map(({ what, role_id }) => [what, role_id]));
  assert.equal(now.get(`grant ${guest.id}`), BUILT_IN.projectViewer);
  assert.equal(now.get(`invitation ${open}`), BUILT_IN.projectViewer);
});

test('409: a role in use stays, and the answer says where it is used', async () => {
  const { workspace, role, remove } = await tenant();
  await fixtures.member(workspace, await fixtures.user(), role);
  for (const expiresInHours of [1, -1])
    await fixtures.invitation(workspace, { role, expiresInHours });
  const reply = await unchanged(() => remove());
  assert.deepEqual([reply.status, reply.body.code], [409, 'role_in_use']);
  assert.deepEqual(reply.body.uses, { members: 1, project_people: 0, invitations: 2 });
});

test('409: built-in roles cannot be deleted', async () => {
  const { owner, path } = await tenant();
  const reply = await unchanged(() =>
    request('DELETE', `${path}/${BUILT_IN.member}`, { key: owner.key }),
  );
  assert.deepEqual([reply.status, reply.body.code], [409, 'built_in_role']);
});

test('422: only another role of the same scope that can be given here replaces one, used or not', async () => {
  const { owner, workspace, role, remove } = await tenant();
  const elsewhere = await fixtures.role(await fixtures.workspace(owner));
  const ofProjects = await fixtures.role(workspace, { scope: 'project' });
  const bad = [role, BUILT_IN.owner, BUILT_IN.projectViewer, ofProjects, elsewhere, randomUUID()];
  for (const used of [false, true]) {
    if (used) await fixtures.member(workspace, await fixtures.user(), role);
    for (const id of bad) {
      const reply = await unchanged(() => remove(id));
      assert.equal(reply.status, 422);
      const [{ type, loc }] = reply.body.detail;
      assert.deepEqual([type, loc], ['role_not_found', ['query', 'replace_with']]);
    }
  }
});

test('403: where the owner decides about admins, an admin makes and unmakes none by replacing a role', async () => {
  for (const actsAs of ['member', 'admin'] as const) {
    for (const use of ['member', 'invitation']) {
      const { admin, workspace, role, remove, ownerDecides } = await tenant({ actsAs });
      if (use === 'member') await fixtures.member(workspace, await fixtures.user(), role);
      else await fixtures.invitation(workspace, { role });
      await ownerDecides();
      const other = actsAs === 'admin' ? BUILT_IN.member : BUILT_IN.admin;
      const reply = await unchanged(() => remove(other, admin));
      assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides'], `${actsAs} ${use}`);
      assert.equal((await remove(other)).status, 204, 'the owner may');
    }
  }
});

test('204: an admin replaces roles with equal rights, and any role that no one has', async () => {
  for (const used of [true, false]) {
    const { admin, workspace, role, remove, ownerDecides } = await tenant({ actsAs: 'admin' });
    if (used) await fixtures.member(workspace, await fixtures.user(), role);
    await ownerDecides();
    const other = used ? BUILT_IN.admin : BUILT_IN.member;
    assert.equal((await remove(other, admin)).status, 204);
  }
});

test('412: a stale If-Match deletes nothing; the one that was read does', async () => {
  const { owner, role, path, remove } = await tenant();
  const { headers } = await request('GET', `${path}/${role}`, { key: owner.key });
  const stale = await unchanged(() => remove(undefined, owner, { 'if-match': '"1"' }));
  assert.deepEqual([stale.status, stale.body.code], [412, 'role_changed']);
  const etag = headers.get('etag') as string;
  assert.equal((await remove(undefined, owner, { 'if-match': etag })).status, 204);
});
