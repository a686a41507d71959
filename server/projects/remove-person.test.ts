import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const person = async (
    role: 'admin' | 'member' | 'viewer' | undefined,
    granted?: 'admin' | 'member' | 'viewer',
  ) => {
    const user = await fixtures.user();
    if (role !== undefined) await fixtures.member(workspace, user, role);
    if (granted !== undefined) await fixtures.grant(project, user, granted);
    return user;
  };
  return { owner, workspace, project, person };
}

const remove = (project: string, user: { id: string }, by: User, headers = {}) =>
  request('DELETE', `/api/projects/${project}/people/${user.id}`, { key: by.key, headers });
const opens = async (project: string, user: User) =>
  (await request('GET', `/api/projects/${project}/people`, { key: user.key })).status === 200;
const sourceOf = async (project: string, user: User, by: User) =>
  (await request('GET', `/api/projects/${project}/people`, { key: by.key })).body.find(
    ({ user_id }: { user_id: string }) => user_id === user.id,
  )?.source;

test('204: a collaborator is removed and can no longer open the project; a member acts with the workspace role again', async () => {
  const { owner, workspace, project, person } = await tenant();
  const [gus, mia] = [await person(undefined, 'admin'), await person('member', 'viewer')];
  assert.equal((await remove(project, mia, gus)).status, 204);
  assert.equal(await sourceOf(project, mia, owner), 'org');
  assert.equal((await remove(project, gus, owner)).status, 204);
  assert.equal(await opens(project, gus), false);
  const events = await db.many(sql`
    select action, organization_id, project_id, before, after, actor_user_id from audit_event
     where target_id in (${gus.id}, ${mia.id}) and outcome = 'done' order by id`);
  const common = {
    action: 'project_person.remove',
    organization_id: workspace,
    project_id: project,
  };
  assert.deepEqual(events, [
    { ...common, before: { role: 'viewer' }, after: { role: null }, actor_user_id: gus.id },
    { ...common, before: { role: 'admin' }, after: { role: null }, actor_user_id: owner.id },
  ]);
});

test('204: everybody may leave: a collaborator the project, a member their override; also of a personal project', async () => {
  const { owner, project, person } = await tenant();
  const [gus, vic] = [await person(undefined, 'viewer'), await person('viewer', 'admin')];
  assert.equal((await remove(project, gus, gus)).status, 204);
  assert.equal((await remove(project, vic, vic)).status, 204);
  assert.deepEqual([await opens(project, gus), await opens(project, vic)], [false, true]);
  const personal = await fixtures.project({ userId: owner.id });
  await fixtures.grant(personal, gus, 'viewer');
  assert.equal((await remove(personal, gus, gus)).status, 204);
});

test('204: the owner of the workspace and an admin give back a role that was without effect', async () => {
  const { owner, project, person } = await tenant();
  const ada = await person('admin', 'viewer');
  await fixtures.grant(project, owner, 'viewer');
  assert.equal((await remove(project, owner, ada)).status, 204);
  assert.equal((await remove(project, ada, ada)).status, 204);
});

test('204: a person who left gets the answer again when the request is repeated with its key', async () => {
  const { project, person } = await tenant();
  const gus = await person(undefined, 'viewer');
  const headers = { 'idempotency-key': 'leave' };
  assert.equal((await remove(project, gus, gus, headers)).status, 204);
  const again = await unchanged(() => remove(project, gus, gus, headers));
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [204, 'true']);
});

test('204: a deactivated collaborator can be removed', async () => {
  const { owner, project, person } = await tenant();
  const gus = await person(undefined, 'viewer');
  await db.many(sql`update app_user set is_active = false where id = ${gus.id}`);
  assert.equal((await remove(project, gus, owner)).status, 204);
});

test('403: a caller who may not remove people gets one answer, on the project or not', async () => {
  const { project, person } = await tenant();
  const [mia, stranger] = [await person('member'), await fixtures.user()];
  const nobody = await fixtures.user();
  for (const target of [await person(undefined, 'viewer'), await person('viewer'), nobody]) {
    for (const by of [mia, stranger]) {
      const reply = await unchanged(() => remove(project, target, by));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
  }
});

test('404: a person who is not on the project, also oneself', async () => {
  const { owner, project, person } = await tenant();
  const stranger = await fixtures.user();
  const mia = await person('member');
  for (const [target, by] of [
    [stranger, owner],
    [stranger, stranger],
    [{ id: randomUUID() }, owner],
  ] as const) {
    const reply = await unchanged(() => remove(project, target, by));
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
  }
  assert.equal((await remove(randomUUID(), mia, owner)).status, 404);
});

test('409: who is there as a member of the workspace, and the user of a personal project', async () => {
  const { owner, project, person } = await tenant();
  const [mia, ada] = [await person('member'), await person('admin')];
  for (const [target, by] of [
    [mia, owner],
    [mia, mia],
    [ada, ada],
    [owner, owner],
    [owner, ada],
  ] as const) {
    const reply = await unchanged(() => remove(project, target, by));
    assert.deepEqual([reply.status, reply.body.code], [409, 'comes_from_workspace']);
  }
  const personal = await fixtures.project({ userId: owner.id });
  await fixtures.grant(personal, mia, 'admin');
  for (const by of [owner, mia]) {
    const reply = await unchanged(() => remove(personal, owner, by));
    assert.deepEqual([reply.status, reply.body.code], [409, 'is_owner']);
  }
});

test('race: two removals of one collaborator: one is done, the other finds no one', async () => {
  const { owner, project, person } = await tenant();
  for (let round = 0; round < 10; round++) {
    const gus = await person(undefined, 'viewer');
    const replies = await Promise.all([1, 2].map(() => remove(project, gus, owner)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404]);
  }
});

test('race: in whatever order a role and the removal of the member come, no collaborator remains', async () => {
  const { owner, workspace, project } = await tenant();
  for (let round = 0; round < 20; round++) {
    const mia = await fixtures.user();
    await fixtures.member(workspace, mia);
    const path = `/api/projects/${project}/people/${mia.id}`;
    const [set] = await Promise.all([
      request('PUT', path, { key: owner.key, body: { role: 'admin' } }),
      fixtures.removeMember(workspace, mia.id),
    ]);
    assert.ok([200, 404].includes(set.status), set.text);
    assert.equal(await opens(project, mia), false);
  }
});
