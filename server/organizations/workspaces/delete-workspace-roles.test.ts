import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const path = `/api/organizations/${workspace}`;
  const remove = () => request('DELETE', path, { key: owner.key });
  return { owner, workspace, path, remove };
}

test('200: members with custom roles, invitations with teams, and the roles themselves go', async () => {
  const { workspace, remove } = await tenant();
  const role = await fixtures.role(workspace, { actsAs: 'admin' });
  const team = await fixtures.team(workspace);
  const member = await fixtures.user();
  await fixtures.member(workspace, member, role);
  await fixtures.teamMember(team, member);
  const invitation = await fixtures.invitation(workspace, { role });
  await fixtures.invitation(workspace, { role, status: 'declined' });
  await db.many(sql`
    insert into invitation_team (invitation_id, organization_id, team_id)
    values (${invitation}, ${workspace}, ${team})`);
  const reply = await remove();
  assert.deepEqual([reply.status, reply.body.invitations_revoked], [200, 1]);
  const left = await db.many(sql`
    select 'role' as what from role where organization_id = ${workspace} union all
    select 'member' from membership where organization_id = ${workspace} union all
    select 'invitation' from invitation where organization_id = ${workspace} union all
    select 'team of invitation' from invitation_team where organization_id = ${workspace}`);
  assert.deepEqual(left, []);
});

test('200: invitations to its projects stay, with the built-in role that a custom one acted as', async () => {
  const { workspace, remove } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  const role = await fixtures.role(workspace, { scope: 'project', actsAs: 'viewer' });
  const ids = [
    await fixtures.projectInvitation(project, { role }),
    await fixtures.projectInvitation(project, { role, status: 'accepted' }),
    await fixtures.projectInvitation(project, { role: 'admin' }),
  ];
  const reply = await remove();
  assert.deepEqual([reply.status, reply.body.invitations_revoked], [200, 0]);
  const kept = await db.many<{ status: string; slug: string }>(sql`
    select i.status, r.slug from invitation i join role r on r.id = i.role_id
     where i.id = any(${ids}::uuid[]) and r.organization_id is null and r.scope = 'project'
     order by array_position(${ids}::uuid[], i.id)`);
  assert.deepEqual(
    kept.map(({ status, slug }) => `${status} ${slug}`),
    ['pending viewer', 'accepted viewer', 'pending admin'],
  );
});

test('race: a role is made or deleted while its workspace is deleted: nothing of it remains', async () => {
  for (let round = 0; round < 8; round++) {
    const { owner, workspace, path, remove } = await tenant();
    const role = await fixtures.role(workspace);
    const body = { name: 'Auditor', color: '#112233', acts_as: 'viewer' };
    const [gone, made, deleted] = await Promise.all([
      remove(),
      request('POST', `${path}/roles`, { key: owner.key, body }),
      request('DELETE', `${path}/roles/${role}`, { key: owner.key }),
    ]);
    assert.equal(gone.status, 200, gone.text);
    assert.ok([201, 404].includes(made.status), made.text);
    assert.ok([204, 404].includes(deleted.status), deleted.text);
    const left = await db.many(sql`select id from role where organization_id = ${workspace}`);
    assert.deepEqual(left, []);
  }
});
