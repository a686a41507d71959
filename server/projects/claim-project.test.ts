import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

const path = (project: string, rest = '') => `/api/projects/${project}${rest}`;
const claim = (project: string, by: User, body: unknown = {}) =>
  request('POST', path(project, '/claim'), { key: by.key, body });
const actionsOf = async (project: string, by: User): Promise<string[]> =>
  (await request('GET', path(project), { key: by.key })).body.available_actions;

/** A project whose workspace was deleted, with collaborators of each role. */
async function released() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const [admin, second, member, viewer] = (await Promise.all(
    [1, 2, 3, 4].map(() => fixtures.user()),
  )) as [User, User, User, User];
  await fixtures.grant(project, admin, 'admin');
  await fixtures.grant(project, second, 'admin');
  await fixtures.grant(project, member, 'member');
  await fixtures.grant(project, viewer, 'viewer');
  const gone = await request('DELETE', `/api/organizations/${workspace}`, { key: owner.key });
  assert.equal(gone.body.projects_released, 1);
  return { owner, project, admin, second, member, viewer };
}

test('200: a collaborator who is an admin makes it their own; the others keep their roles', async () => {
  const { project, admin, viewer } = await released();
  assert.ok((await actionsOf(project, admin)).includes('claim_project'));
  const { status, body } = await claim(project, admin);
  assert.deepEqual([status, body.owner_user_id, body.role], [200, admin.id, 'admin']);
  const people = (await request('GET', path(project, '/people'), { key: viewer.key })).body;
  assert.equal(people.length, 4);
  assert.deepEqual([people[0].user_id, people[0].is_owner], [admin.id, true]);
  const grants = await db.many(sql`
    select role_id from project_grant where project_id = ${project} and user_id = ${admin.id}`);
  assert.deepEqual(grants, []);
  const now = await actionsOf(project, admin);
  assert.deepEqual(
    [now.includes('claim_project'), now.includes('transfer_project')],
    [false, true],
  );
  const [row] = await db.many(sql`
    select actor_user_id, organization_id, project_id, after from audit_event
     where target_id = ${project} and action = 'project.claim'`);
  assert.deepEqual(row, {
    actor_user_id: admin.id,
    organization_id: null,
    project_id: project,
    after: { organization_id: null, owner_user_id: admin.id },
  });
});

test('200: for a workspace where they may create; their role there is an override', async () => {
  const { project, admin } = await released();
  const workspace = await fixtures.workspace(await fixtures.user());
  await fixtures.member(workspace, admin, 'viewer');
  const team = await fixtures.team(workspace);
  await fixtures.teamMember(team, admin);
  await db.many(sql`update team set can_create_projects = true where id = ${team}`);
  const { status, body } = await claim(project, admin, { organization_id: workspace });
  assert.deepEqual([status, body.organization_id, body.role], [200, workspace, 'admin']);
  const people = (await request('GET', path(project, '/people'), { key: admin.key })).body;
  const own = people.find(({ user_id }: { user_id: string }) => user_id === admin.id);
  assert.deepEqual([own.source, own.effective_role], ['override', 'admin']);
});

test('403: collaborators below admin, the former owner, and a workspace where they may not create', async () => {
  const { owner, project, admin, member, viewer } = await released();
  for (const by of [owner, member, viewer]) {
    const reply = await unchanged(() => claim(project, by));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
  const workspace = await fixtures.workspace(await fixtures.user());
  await fixtures.member(workspace, admin, 'member');
  for (const organization_id of [workspace, await fixtures.workspace(owner)]) {
    const reply = await unchanged(() => claim(project, admin, { organization_id }));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
});

test('409: a project that has an owner, also for that owner', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  for (const whose of [{ organizationId: workspace }, { userId: owner.id }]) {
    const project = await fixtures.project(whose);
    const reply = await unchanged(() => claim(project, owner));
    assert.deepEqual([reply.status, reply.body.code], [409, 'not_released']);
  }
});

test('race: two claims: one owner, and the other gets a 409', async () => {
  for (let round = 0; round < 8; round++) {
    const { project, admin, second } = await released();
    const replies = await Promise.all([claim(project, admin), claim(project, second)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const winner = replies[0].status === 200 ? admin : second;
    const { owner_user_id } = await db.one<{ owner_user_id: string }>(sql`
      select owner_user_id from project where id = ${project}`);
    assert.equal(owner_user_id, winner.id);
  }
});
