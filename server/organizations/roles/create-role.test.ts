import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const path = `/api/organizations/${workspace}/roles`;
  const create = (body: object, by: { key: string } = owner) =>
    request('POST', path, { key: by.key, body });
  return { owner, workspace, path, create };
}

const good = { name: 'Release manager', color: '#aa5533', acts_as: 'member' };

test('201: a custom role, at its Location, with the ETag and the text of a read, and recorded', async () => {
  const { owner, workspace, path, create } = await tenant();
  const made = await create({ ...good, name: ' Release  manager ' });
  assert.equal(made.status, 201);
  const { id, created_at, updated_at, ...rest } = made.body;
  assert.deepEqual(rest, {
    name: 'Release  manager',
    slug: 'release-manager',
    color: '#AA5533',
    acts_as: 'member',
    scope: 'workspace',
    is_custom: true,
    member_count: 0,
  });
  assert.equal(created_at, updated_at);
  assert.equal(made.headers.get('location'), `${path}/${id}`);
  const read = await request('GET', `${path}/${id}`, { key: owner.key });
  assert.deepEqual([read.status, read.body], [200, made.body]);
  assert.equal(read.headers.get('etag'), made.headers.get('etag'));
  assert.deepEqual(
    await db.many(sql`
      select action, organization_id, before, after->>'acts_as' as acts_as from audit_event
       where target_id = ${id}`),
    [{ action: 'role.create', organization_id: workspace, before: null, acts_as: 'member' }],
  );
});

test('201: one name for a role of members and one of projects; equal slugs get a number', async () => {
  const { create } = await tenant();
  const made = [
    await create(good),
    await create({ ...good, scope: 'project' }),
    await create({ ...good, name: 'Release-manager' }),
    await create({ ...good, name: 'Admin!' }),
    await create({ ...good, name: '審査員' }),
  ];
  assert.deepEqual(
    made.map(({ status, body }) => [status, body.scope, body.slug]),
    [
      [201, 'workspace', 'release-manager'],
      [201, 'project', 'release-manager'],
      [201, 'workspace', 'release-manager-2'],
      [201, 'workspace', 'admin-2'],
      [201, 'workspace', 'role'],
    ],
  );
});

test('201: whoever gets the role has the rights of the built-in one that it acts as', async () => {
  const { workspace, path, create } = await tenant();
  for (const [acts_as, status] of [
    ['admin', 201],
    ['member', 403],
    ['viewer', 403],
  ] as const) {
    const { body } = await create({ ...good, name: `Acting ${acts_as}`, acts_as });
    const user = await fixtures.user();
    await fixtures.member(workspace, user, body.id);
    const reply = await create({ ...good, name: `By ${acts_as}` }, user);
    assert.equal(reply.status, status, acts_as);
    const read = await request('GET', `${path}/${body.id}`, { key: user.key });
    assert.equal(read.body.member_count, 1);
  }
});

test('409: a workspace has 50 custom roles at most, of both kinds together', async () => {
  const { workspace, create } = await tenant();
  for (let i = 0; i < 49; i++)
    await fixtures.role(workspace, { scope: i % 2 === 0 ? 'workspace' : 'project' });
  assert.equal((await create(good)).status, 201);
  const reply = await unchanged(() => create({ ...good, name: 'One more' }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_roles']);
});

test('422: a name that people take for one that exists, or for a built-in role', async () => {
  const { workspace, create } = await tenant();
  await create({ ...good, name: 'Straße' });
  await fixtures.role(workspace, { name: 'On projects', scope: 'project' });
  for (const [name, scope] of [
    ['STRASSE', 'workspace'],
    ['on  PROJECTS', 'project'],
    ['Owner', 'workspace'],
    ['ADMIN', 'project'],
    ['ｍｅｍｂｅｒ', 'workspace'],
    ['viewer', 'workspace'],
    ['Project Admin', 'workspace'],
  ] as const) {
    const reply = await unchanged(() => create({ ...good, name, scope }));
    assert.equal(reply.status, 422, name);
    const [{ type, loc }] = reply.body.detail;
    assert.deepEqual([type, loc], ['role_name_taken', ['body', 'name']]);
  }
});

test('database: no custom role has the name or the slug of a built-in one', async () => {
  const { workspace } = await tenant();
  const insert = (name: string, slug: string) =>
    db.many(sql`
      insert into role (organization_id, scope, slug, name, color, acts_as)
      values (${workspace}, 'workspace', ${slug}, ${name}, '#112233', 'viewer')`);
  await assert.rejects(insert('Project viewer', 'free'), /role_name_taken/);
  await assert.rejects(insert('Free', 'owner'), /role_slug_is_not_built_in/);
});
