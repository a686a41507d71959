import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const elsewhere = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const custom = await fixtures.role(workspace, { actsAs: 'viewer', scope: 'project' });
  const guest = await fixtures.user();
  return { owner, workspace, elsewhere, project, custom, guest };
}

const roleOf = (project: string, user: { id: string }) =>
  db.maybeOne<{ slug: string; organization_id: string | null }>(sql`
    select r.slug, r.organization_id from project_grant g join role r on r.id = g.role_id
     where g.project_id = ${project} and g.user_id = ${user.id}`);

const MEMBER = '00000000-0000-4000-8000-000000000013';

test('race: a custom role is given while it is deleted: given and replaced, or not found', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, workspace, project, custom, guest } = await tenant();
    await fixtures.grant(project, guest, 'admin');
    const [given, deleted] = await Promise.all([
      request('PUT', `/api/projects/${project}/people/${guest.id}`, {
        key: owner.key,
        body: { role_id: custom },
      }),
      request('DELETE', `/api/organizations/${workspace}/roles/${custom}?replace_with=${MEMBER}`, {
        key: owner.key,
      }),
    ]);
    assert.equal(deleted.status, 204, deleted.text);
    assert.ok(given.status === 200 || given.status === 422, given.text);
    const expected = given.status === 200 ? 'member' : 'admin';
    assert.deepEqual(await roleOf(project, guest), { slug: expected, organization_id: null });
  }
});

test('race: a project moves while a role of its people is deleted: they have a built-in one', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, workspace, elsewhere, project, custom, guest } = await tenant();
    await db.many(sql`
      insert into project_grant (project_id, user_id, role_id)
      values (${project}, ${guest.id}, ${custom})`);
    const [moved, deleted] = await Promise.all([
      request('POST', `/api/projects/${project}/transfer`, {
        key: owner.key,
        body: { organization_id: elsewhere },
      }),
      request('DELETE', `/api/organizations/${workspace}/roles/${custom}?replace_with=${MEMBER}`, {
        key: owner.key,
      }),
    ]);
    assert.deepEqual([moved.status, deleted.status], [200, 204], moved.text + deleted.text);
    const role = await roleOf(project, guest);
    assert.equal(role?.organization_id, null);
    // Replaced first, it is a member's; moved first, it is what the custom role acted as.
    assert.ok(role?.slug === 'member' || role?.slug === 'viewer');
  }
});

test('race: an invitation is accepted while its project is deleted or moves: joined, or nothing is left', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, elsewhere, project, custom, guest } = await tenant();
    const deletes = round % 2 === 0;
    const invitation = await fixtures.projectInvitation(project, {
      email: guest.email,
      role: custom,
    });
    const [accepted, changed] = await Promise.all([
      request('POST', `/api/invitations/${invitation}/accept`, { key: guest.key }),
      deletes
        ? request('DELETE', `/api/projects/${project}`, { key: owner.key })
        : request('POST', `/api/projects/${project}/transfer`, {
            key: owner.key,
            body: { organization_id: elsewhere },
          }),
    ]);
    assert.equal(changed.status, 200, changed.text);
    assert.ok(accepted.status === 200 || (deletes && accepted.status === 404), accepted.text);
    const role = await roleOf(project, guest);
    assert.deepEqual(role, deletes ? undefined : { slug: 'viewer', organization_id: null });
  }
});
