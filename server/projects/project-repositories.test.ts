import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// What happens to the repositories and merge targets of a project with the project itself.

const { fixtures, request, db, unchanged } = await startHarness();

const GOOD = { name: 'Web shop', erp_version: '18.0', erp_edition: 'community' };
const local = (full_name: string) => ({ host: 'local', full_name });

const create = (by: User, repositories?: unknown, body: object = {}) =>
  request('POST', '/api/projects', { key: by.key, body: { ...GOOD, repositories, ...body } });

const namesOf = async (project: string, by: User): Promise<string[]> =>
  (await request('GET', `/api/projects/${project}/repositories`, { key: by.key })).body.map(
    (each: { full_name: string }) => each.full_name,
  );

test('201: a project with repositories beside `main`, which stays the first', async () => {
  const owner = await fixtures.user();
  const organization_id = await fixtures.workspace(owner);
  const others = Array.from({ length: 19 }, (_, i) => `r${19 - i}`);
  const { status, body } = await create(owner, others.map(local), { organization_id });
  assert.equal(status, 201);
  assert.deepEqual(await namesOf(body.id, owner), ['main', ...others]);
  const audit = await db.many<{ action: string; name: string | null }>(sql`
    select action, after ->> 'full_name' as name from audit_event
     where project_id = ${body.id} and organization_id = ${organization_id}`);
  const attached = audit.filter(({ action }) => action === 'repository.attach');
  assert.deepEqual(attached.map(({ name }) => name).sort(), [...others].sort());
  assert.equal(audit.length, 20);
  const reply = await request('POST', `/api/projects/${body.id}/repositories`, {
    key: owner.key,
    body: local('more'),
  });
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_repositories']);
});

test('201: without repositories, or with none, a project has `main`', async () => {
  const owner = await fixtures.user();
  for (const given of [undefined, []]) {
    const { body } = await create(owner, given);
    assert.deepEqual(await namesOf(body.id, owner), ['main']);
    const targets = await request('GET', `/api/projects/${body.id}/merge-targets`, {
      key: owner.key,
    });
    assert.deepEqual(targets.body, [{ branch: 'main', stage: 'production' }]);
  }
});

test('422: all that is wrong with the repositories of a new project, by place; none is created', async () => {
  const owner = await fixtures.user();
  const wrong = [local('main'), local('a'), local('a'), local('o/n'), { ...local('o/n') }];
  const github = { host: 'github', full_name: 'octocat/hello' };
  const reply = await unchanged(() => create(owner, [...wrong, github], { erp_version: '9.0' }));
  assert.equal(reply.status, 422);
  const at = (i: number, field: string) => ['body', 'repositories', i, field];
  assert.deepEqual(
    reply.body.detail.map(({ type, loc }: { type: string; loc: unknown }) => [type, loc]),
    [
      ['erp_version_not_offered', ['body', 'erp_version']],
      ['repository_name_taken', at(0, 'full_name')],
      ['repository_name_taken', at(2, 'full_name')],
      ['repository_name_invalid', at(3, 'full_name')],
      ['repository_name_taken', at(4, 'full_name')],
      ['host_attached_later', at(5, 'host')],
    ],
  );
  for (const [given, type] of [
    [Array.from({ length: 20 }, (_, i) => local(`r${i}`)), 'too_long'],
    [[local('../x')], 'string_pattern_mismatch'],
    [['library'], 'model_attributes_type'],
    [null, 'list_type'],
  ] as const) {
    const { status, body } = await unchanged(() => create(owner, given));
    assert.deepEqual([status, body.detail[0].type], [422, type]);
  }
});

test('200: a transfer takes them along; a deletion leaves none', async () => {
  const owner = await fixtures.user();
  const [from, to] = [await fixtures.workspace(owner), await fixtures.workspace(owner)];
  const { id } = (await create(owner, [local('library')], { organization_id: from })).body;
  const path = `/api/projects/${id}`;
  const targets = [{ branch: 'next', stage: 'staging' }];
  await request('PUT', `${path}/merge-targets`, { key: owner.key, body: targets });
  const read = async () => [
    (await request('GET', `${path}/repositories`, { key: owner.key })).body,
    (await request('GET', `${path}/merge-targets`, { key: owner.key })).body,
  ];
  const before = await read();
  for (const body of [{ organization_id: to }, {}]) {
    const moved = await request('POST', `${path}/transfer`, { key: owner.key, body });
    assert.equal(moved.status, 200);
    assert.deepEqual(await read(), before);
  }
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 200);
  const left = await db.many(sql`
    select id::text from repository where project_id = ${id}
     union all select branch from merge_target where project_id = ${id}`);
  assert.deepEqual(left, []);
});

test('race: a project is transferred while a repository is attached: it has it, and one owner', async () => {
  for (let i = 0; i < 6; i++) {
    const owner = await fixtures.user();
    const [from, to] = [await fixtures.workspace(owner), await fixtures.workspace(owner)];
    const { id } = (await create(owner, [], { organization_id: from })).body;
    const [moved, attached] = await Promise.all([
      request('POST', `/api/projects/${id}/transfer`, {
        key: owner.key,
        body: { organization_id: to },
      }),
      request('POST', `/api/projects/${id}/repositories`, {
        key: owner.key,
        body: local('library'),
      }),
    ]);
    assert.deepEqual([moved.status, attached.status], [200, 201], attached.text);
    assert.deepEqual(await namesOf(id, owner), ['main', 'library']);
    const [event] = await db.many<{ organization_id: string }>(sql`
      select organization_id from audit_event where target_id = ${attached.body.id}`);
    assert.ok([from, to].includes(event?.organization_id as string));
  }
});
