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
  const member = async (role: 'admin' | 'member' | 'viewer') => {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, role);
    return user;
  };
  const collaborator = async (role: 'admin' | 'member' | 'viewer') => {
    const user = await fixtures.user();
    await fixtures.grant(project, user, role);
    return user;
  };
  return { owner, workspace, project, member, collaborator };
}

const set = (project: string, user: { id: string }, by: User, body: unknown, headers = {}) =>
  request('PUT', `/api/projects/${project}/people/${user.id}`, { key: by.key, body, headers });
const listed = async (project: string, user: User, by: User) =>
  (await request('GET', `/api/projects/${project}/people`, { key: by.key })).body.find(
    ({ user_id }: { user_id: string }) => user_id === user.id,
  );
const auditOf = (target: string) =>
  db.many(sql`
    select action, organization_id, project_id, before, after from audit_event
     where target_id = ${target} and outcome = 'done' order by id`);
const roleOf = (slug: string) =>
  db
    .one<{ id: string }>(sql`
      select id from role where organization_id is null and scope = 'project' and slug = ${slug}`)
    .then(({ id }) => id);

test('200: for a member it is an override, up or down, and what is answered is what the list shows', async () => {
  const { owner, workspace, project, member } = await tenant();
  const [mia, vic] = [await member('member'), await member('viewer')];
  const lowered = await set(project, mia, owner, { role: 'viewer' });
  assert.equal(lowered.status, 200);
  assert.deepEqual(lowered.body, await listed(project, mia, owner));
  const { source, effective_role, org_role, project_role } = lowered.body;
  assert.deepEqual(
    [source, effective_role, org_role, project_role],
    ['override', 'viewer', 'member', 'viewer'],
  );
  const raised = await set(project, vic, owner, { role_id: await roleOf('admin') });
  assert.deepEqual([raised.body.effective_role, raised.body.org_role], ['admin', 'viewer']);
  assert.equal((await set(project, mia, vic, { role: 'member' })).body.effective_role, 'member');
  const common = {
    action: 'project_person.set_role',
    organization_id: workspace,
    project_id: project,
  };
  assert.deepEqual(await auditOf(mia.id), [
    { ...common, before: { role: null }, after: { role: 'viewer' } },
    { ...common, before: { role: 'viewer' }, after: { role: 'member' } },
  ]);
});

test('200: for an outside collaborator it is their role; the role that they have is not written again', async () => {
  const { owner, project, collaborator } = await tenant();
  const gus = await collaborator('viewer');
  const first = await set(project, gus, owner, { role: 'member' });
  assert.deepEqual(
    [first.body.source, first.body.effective_role, first.body.is_org_member],
    ['collaborator', 'member', false],
  );
  const again = await unchanged(() => set(project, gus, owner, { role: 'member' }));
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal((await auditOf(gus.id)).length, 1);
});

test('200: the owner and admins of the workspace are never lowered; the role is kept and shown', async () => {
  const { owner, project, member } = await tenant();
  const ada = await member('admin');
  for (const [person, role] of [
    [owner, 'owner'],
    [ada, 'admin'],
  ] as const) {
    const { body } = await set(project, person, ada, { role: 'viewer' });
    assert.deepEqual(
      [body.source, body.effective_role, body.project_role],
      ['org', role, 'viewer'],
    );
  }
});

test('200: a custom role of the workspace, with its name and colour', async () => {
  const { owner, workspace, project, member } = await tenant();
  const mia = await member('viewer');
  const reviewer = { name: 'Reviewer', actsAs: 'member', scope: 'project' } as const;
  const role_id = await fixtures.role(workspace, reviewer);
  const { body } = await set(project, mia, owner, { role_id });
  assert.deepEqual([body.effective_role_name, body.effective_role_color], ['Reviewer', '#AA5533']);
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  const approve = await request('POST', `/api/tasks/${task}/plan/approve`, { key: mia.key });
  assert.equal(approve.status, 200);
});

test('200: in a personal and in a released project people manage roles by their role there', async () => {
  const [owner, ann, vic] = [await fixtures.user(), await fixtures.user(), await fixtures.user()];
  const [personal, released] = [
    await fixtures.project({ userId: owner.id }),
    await fixtures.project({}),
  ];
  for (const [project, by] of [
    [personal, owner],
    [released, ann],
  ] as const) {
    await fixtures.grant(project, ann, 'admin');
    await fixtures.grant(project, vic, 'viewer');
    assert.equal((await set(project, vic, by, { role: 'member' })).body.effective_role, 'member');
    const refused = await unchanged(() => set(project, ann, vic, { role: 'viewer' }));
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
  }
});

test('403: a caller who may not manage people gets one answer, on the project or not', async () => {
  const { project, workspace, member } = await tenant();
  const [mia, gus, stranger] = [
    await member('member'),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const on = await member('viewer');
  await fixtures.grant(project, gus, 'viewer');
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  for (const [by, code] of [
    [mia, 'two_factor_required'],
    [gus, 'forbidden'],
    [stranger, 'forbidden'],
  ] as const) {
    for (const whom of [on, await fixtures.user(), { id: randomUUID() }]) {
      const reply = await unchanged(() => set(project, whom, by, { role: 'viewer' }));
      assert.deepEqual([reply.status, reply.body.code], [403, code]);
    }
  }
});

test('404: no one is added to a project without being asked', async () => {
  const { owner, workspace, project, member } = await tenant();
  const [stranger, invited] = [await fixtures.user(), await fixtures.user()];
  await fixtures.invitation(workspace, { email: invited.email, by: owner });
  for (const person of [stranger, invited, { id: randomUUID() }]) {
    const reply = await unchanged(() => set(project, person, owner, { role: 'viewer' }));
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
    assert.match(reply.body.detail, /invite them/);
  }
  const mia = await member('member');
  const nowhere = await unchanged(() => set(randomUUID(), mia, owner, { role: 'viewer' }));
  assert.equal(nowhere.status, 404);
});

test('409: the user of a personal project', async () => {
  const [owner, ann] = [await fixtures.user(), await fixtures.user()];
  const project = await fixtures.project({ userId: owner.id });
  await fixtures.grant(project, ann, 'admin');
  for (const by of [owner, ann]) {
    const reply = await unchanged(() => set(project, owner, by, { role: 'viewer' }));
    assert.deepEqual([reply.status, reply.body.code], [409, 'is_owner']);
  }
});

test('422: no role or both, an unknown one, and roles of workspaces, of another workspace, and `owner`', async () => {
  const { owner, workspace, project, member } = await tenant();
  const mia = await member('member');
  const elsewhere = await fixtures.workspace(owner);
  const viewer = await roleOf('viewer');
  const cases: [unknown, string, string][] = [
    [{}, 'role_or_role_id', 'role'],
    [{ role: 'viewer', role_id: viewer }, 'role_or_role_id', 'role'],
    [{ role: 'owner' }, 'literal_error', 'role'],
    [{ role: null }, 'literal_error', 'role'],
    [{ role_id: randomUUID() }, 'role_not_found', 'role_id'],
    [{ role_id: await fixtures.role(workspace) }, 'role_not_found', 'role_id'],
    [
      { role_id: await fixtures.role(elsewhere, { scope: 'project' }) },
      'role_not_found',
      'role_id',
    ],
    [{ role_id: '00000000-0000-4000-8000-000000000001' }, 'role_not_found', 'role_id'],
    [{ role_id: '00000000-0000-4000-8000-000000000003' }, 'role_not_found', 'role_id'],
    [{ role: 'viewer', user_id: owner.id }, 'extra_forbidden', 'user_id'],
  ];
  for (const [body, type, field] of cases) {
    const reply = await unchanged(() => set(project, mia, owner, body));
    assert.equal(reply.status, 422, JSON.stringify(body));
    assert.deepEqual(
      [reply.body.detail[0].type, reply.body.detail[0].loc],
      [type, ['body', field]],
    );
  }
});
