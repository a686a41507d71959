import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

async function tenant() {
  const [owner, member, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, member, 'viewer');
  return { owner, member, stranger, workspace, path: `/api/organizations/${workspace}/teams` };
}

const auditOf = (id: string) =>
  db.many<{ action: string; before: unknown; after: unknown }>(sql`
    select action, before, after from audit_event where target_id = ${id} order by occurred_at`);

test('201: a team with what was given and nothing more, at its Location, with the ETag of a read', async () => {
  const { owner, member, workspace, path } = await tenant();
  const body = { name: ' Core ', can_merge_staging: true };
  const made = await request('POST', path, { key: owner.key, body });
  assert.equal(made.status, 201);
  const { id, created_at, updated_at, ...rest } = made.body;
  assert.deepEqual(rest, {
    organization_id: workspace,
    name: 'Core',
    add_to_new_projects: false,
    can_create_projects: false,
    can_merge_production: false,
    can_merge_staging: true,
    member_count: 0,
    project_count: 0,
  });
  assert.equal(created_at, updated_at);
  assert.equal(made.headers.get('location'), `${path}/${id}`);
  const read = await request('GET', `${path}/${id}`, { key: member.key });
  assert.deepEqual([read.status, read.body], [200, made.body]);
  assert.equal(read.headers.get('etag'), made.headers.get('etag'));
  const [event] = await auditOf(id);
  assert.deepEqual([event?.action, event?.before], ['team.create', null]);
  assert.deepEqual((event?.after as { name?: string } | undefined)?.name, 'Core');
});

test('200: teams by name, each page a part of the whole list; members count', async () => {
  const { owner, member, workspace, path } = await tenant();
  for (const name of ['beta', 'Alpha', 'gamma', 'Äpfel', 'delta'])
    await fixtures.team(workspace, { name });
  const whole = (await request('GET', path, { key: member.key })).body;
  assert.deepEqual(
    whole.map(({ name }: { name: string }) => name),
    ['Alpha', 'beta', 'delta', 'gamma', 'Äpfel'],
  );
  await db.many(sql`
    insert into team_member (team_id, organization_id, user_id)
    values (${whole[0].id}, ${workspace}, ${member.id})`);
  const pages: { member_count: number; name: string }[] = [];
  let next: string | undefined = `${path}?limit=2`;
  while (next !== undefined) {
    const reply: Awaited<ReturnType<typeof request>> = await request('GET', next, {
      key: owner.key,
    });
    pages.push(...reply.body);
    next = /^<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(
    pages.map(({ name }) => name),
    whole.map(({ name }: { name: string }) => name),
  );
  assert.equal(pages[0]?.member_count, 1);
});

test('204: a deleted team is gone with its memberships, and is recorded; deleting it again is a 404', async () => {
  const { owner, member, workspace, path } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.team(workspace, { name: 'Gone' });
  await db.many(sql`
    with m as (insert into team_member (team_id, organization_id, user_id)
      values (${id}, ${workspace}, ${member.id}))
    insert into team_project (team_id, organization_id, project_id)
      values (${id}, ${workspace}, ${project})`);
  const gone = await request('DELETE', `${path}/${id}`, { key: owner.key });
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.equal(gone.headers.get('content-type'), null);
  const again = await unchanged(() => request('DELETE', `${path}/${id}`, { key: owner.key }));
  assert.deepEqual([again.status, again.body.code], [404, 'not_found']);
  const people = await request('GET', `/api/projects/${project}/people`, { key: member.key });
  assert.equal(people.status, 200);
  const [event] = await auditOf(id);
  assert.deepEqual([event?.action, event?.after], ['team.delete', null]);
  assert.deepEqual((event?.before as { name?: string } | undefined)?.name, 'Gone');
});

test('412: a stale If-Match deletes nothing; the one that was read does', async () => {
  const { owner, workspace, path } = await tenant();
  const id = await fixtures.team(workspace);
  const { headers } = await request('GET', `${path}/${id}`, { key: owner.key });
  const remove = (etag: string) =>
    request('DELETE', `${path}/${id}`, { key: owner.key, headers: { 'if-match': etag } });
  for (const stale of ['"1"', 'W/"1"', 'nonsense']) {
    const reply = await unchanged(() => remove(stale));
    assert.deepEqual([reply.status, reply.body.code], [412, 'team_changed']);
  }
  assert.equal((await remove(headers.get('etag') as string)).status, 204);
});

test('race: of two deletions one is done, of two teams with one name one is made', async () => {
  const { owner, workspace, path } = await tenant();
  const id = await fixtures.team(workspace);
  const deleted = await Promise.all(
    [1, 2, 3, 4].map(() => request('DELETE', `${path}/${id}`, { key: owner.key })),
  );
  assert.deepEqual(deleted.map(({ status }) => status).sort(), [204, 404, 404, 404]);
  assert.equal((await auditOf(id)).length, 1);
  const made = await Promise.all(
    ['One', 'one', 'ONE', 'oNe'].map((name) =>
      request('POST', path, { key: owner.key, body: { name } }),
    ),
  );
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 422, 422, 422]);
});

test('404: a team of another workspace, even for its owner; an unknown workspace', async () => {
  const { owner, path } = await tenant();
  const other = await fixtures.workspace(owner);
  const id = await fixtures.team(other);
  await unchanged(async () => {
    for (const method of ['GET', 'DELETE'])
      assert.equal((await request(method, `${path}/${id}`, { key: owner.key })).status, 404);
    const nowhere = `/api/organizations/${randomUUID()}/teams`;
    const reply = await request('POST', nowhere, { key: owner.key, body: { name: 'X' } });
    assert.equal(reply.status, 404);
  });
});

test('422: a taken name', async () => {
  const { owner, workspace, path } = await tenant();
  await fixtures.team(workspace, { name: 'Core' });
  const taken = { key: owner.key, body: { name: 'CORE' } };
  const { status, body } = await unchanged(() => request('POST', path, taken));
  const [{ type, loc }] = body.detail;
  assert.deepEqual([status, type, loc], [422, 'team_name_taken', ['body', 'name']]);
});
