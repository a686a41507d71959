import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant({ adminsManageAdmins = true } = {}) {
  const [owner, admin, member] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ]);
  const workspace = await fixtures.workspace(owner);
  await db.many(sql`
    update organization set admins_manage_admins = ${adminsManageAdmins} where id = ${workspace}`);
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  const path = (user: User) => `/api/organizations/${workspace}/members/${user.id}`;
  const remove = (by: User, whom: User, headers = {}) =>
    request('DELETE', path(whom), { key: by.key, headers });
  return { owner, admin, member, workspace, path, remove };
}

const grantsOf = (user: User) =>
  db.many(sql`select project_id from project_grant where user_id = ${user.id} order by created_at`);

test('200: teams and overrides of this workspace end and are counted; what is elsewhere stays', async () => {
  const { owner, member, workspace, remove } = await tenant();
  const [first, second] = [await fixtures.team(workspace), await fixtures.team(workspace)];
  await fixtures.team(workspace);
  for (const team of [first, second]) await fixtures.teamMember(team, member);
  const projects = [];
  for (let i = 0; i < 3; i++) projects.push(await fixtures.project({ organizationId: workspace }));
  for (const project of projects) await fixtures.grant(project, member, 'admin');
  const elsewhere = await fixtures.workspace(owner);
  await fixtures.member(elsewhere, member, 'viewer');
  const other = await fixtures.team(elsewhere);
  await fixtures.teamMember(other, member);
  const foreign = await fixtures.project({ organizationId: elsewhere });
  await fixtures.grant(foreign, member, 'viewer');
  const task = await fixtures.task(projects[0] as string, member);

  const reply = await remove(owner, member);
  const receipt = { user_id: member.id, teams_left: 2, overrides_removed: 3 };
  assert.deepEqual([reply.status, reply.body], [200, receipt]);
  assert.deepEqual(await grantsOf(member), [{ project_id: foreign }]);
  const teams = await db.many(sql`select team_id from team_member where user_id = ${member.id}`);
  assert.deepEqual(teams, [{ team_id: other }]);
  for (const path of [
    `/api/organizations/${workspace}/members`,
    `/api/projects/${projects[0]}/people`,
  ])
    assert.equal((await request('GET', path, { key: member.key })).status, 403, path);
  const stays = await request('GET', `/api/projects/${foreign}/people`, { key: member.key });
  assert.equal(stays.status, 200);
  assert.equal((await db.many(sql`select id from task where id = ${task}`)).length, 1);
  const [audit] = await db.many<{ action: string; before: object; after: object }>(sql`
    select action, before, after from audit_event
     where organization_id = ${workspace} and target_id = ${member.id}`);
  assert.deepEqual(audit, { action: 'member.remove', before: { role: 'member' }, after: receipt });
});

test('200: the removed person loses access with the next call, and no one sees them any more', async () => {
  const { owner, admin, member, workspace, remove } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  await remove(admin, member);
  for (const path of [
    `/api/organizations/${workspace}/members`,
    `/api/projects/${project}/people`,
  ]) {
    const listed = (await request('GET', path, { key: owner.key })).body;
    assert.deepEqual(
      listed.map((each: { user_id: string }) => each.user_id).sort(),
      [owner.id, admin.id].sort(),
    );
  }
});

test('200: an admin removes themselves, which is recorded as leaving; the answer can be repeated', async () => {
  const { admin, workspace, remove } = await tenant({ adminsManageAdmins: false });
  const headers = { 'idempotency-key': 'gone' };
  const first = await remove(admin, admin, headers);
  assert.equal(first.status, 200);
  const again = await unchanged(() => remove(admin, admin, headers));
  assert.deepEqual(
    [again.status, again.text, again.headers.get('idempotent-replayed')],
    [200, first.text, 'true'],
  );
  const [audit] = await db.many(sql`
    select action from audit_event
     where organization_id = ${workspace} and target_id = ${admin.id}`);
  assert.deepEqual(audit, { action: 'member.leave' });
});

test('200, 403: the answer is repeated only for those who may still remove members', async () => {
  const { owner, admin, member, workspace, remove } = await tenant();
  const headers = { 'idempotency-key': 'out' };
  const first = await remove(admin, member, headers);
  assert.equal((await unchanged(() => remove(admin, member, headers))).text, first.text);
  await request('PUT', `/api/organizations/${workspace}/members/${admin.id}`, {
    key: owner.key,
    body: { role: 'member' },
  });
  const later = await unchanged(() => remove(admin, member, headers));
  assert.deepEqual([later.status, later.body.code], [403, 'forbidden']);
});

test('200, 412: If-Match', async () => {
  const { owner, member, path, remove } = await tenant();
  const read = () => request('PUT', path(member), { key: owner.key, body: {} });
  const stale = { 'if-match': (await read()).headers.get('etag') as string };
  await request('PUT', path(member), { key: owner.key, body: { role: 'viewer' } });
  const late = await unchanged(() => remove(owner, member, stale));
  assert.deepEqual([late.status, late.body.code], [412, 'member_changed']);
  const fresh = { 'if-match': (await read()).headers.get('etag') as string };
  assert.equal((await remove(owner, member, fresh)).status, 200);
});

test('403: members, viewers, outsiders and strangers cannot remove anyone, and the attempt is recorded', async () => {
  const { owner, admin, member, workspace, remove } = await tenant();
  const [viewer, collaborator, stranger] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ]);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, collaborator, 'admin');
  for (const by of [member, viewer, collaborator, stranger]) {
    for (const whom of [owner, admin, member]) {
      const reply = await unchanged(() => remove(by, whom));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
  }
  const refused = await db.many(sql`
    select code from audit_event where target_id = ${admin.id} and action = 'member.remove'`);
  assert.deepEqual(refused, Array(4).fill({ code: 'forbidden' }));
});

test('403: where the owner alone manages admins, an admin removes members and no admin', async () => {
  const { owner, admin, member, workspace, remove } = await tenant({ adminsManageAdmins: false });
  const second = await fixtures.user();
  await fixtures.member(workspace, second, await fixtures.role(workspace, { actsAs: 'admin' }));
  const reply = await unchanged(() => remove(admin, second));
  assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides']);
  assert.equal((await remove(admin, member)).status, 200);
  assert.equal((await remove(owner, second)).status, 200);
});

test('404: who is no member', async () => {
  const { owner, member, remove } = await tenant();
  await remove(owner, member);
  const stranger = await fixtures.user();
  for (const whom of [member, stranger])
    assert.equal((await unchanged(() => remove(owner, whom))).status, 404);
});

test('409: no one removes the owner, not even the owner', async () => {
  const { owner, admin, remove } = await tenant();
  for (const by of [owner, admin]) {
    const reply = await unchanged(() => remove(by, owner));
    assert.deepEqual([reply.status, reply.body.code], [409, 'is_owner']);
  }
});
