import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const catalog = join(await temporaryFolder(), 'catalog.json');
const images = [{ id: 'node-22', name: 'Node.js 22', image: 'registry.example/node:22' }];
await writeFile(catalog, JSON.stringify({ images }));
const { fixtures, request, db, unchanged } = await startHarness({
  env: { GUILDHALL_CATALOG: catalog },
});

const ALL = {
  image: 'node-22',
  setup: 'npm ci\nnpm run build',
  setup_timeout_minutes: 20,
  cache: ['package-lock.json', 'web/package-lock.json'],
};

async function tenant() {
  const [owner, viewer] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}/environment`;
  const read = () => request('GET', path, { key: viewer.key });
  const set = (body: unknown, by: User = owner, headers = {}) =>
    request('PUT', path, { key: by.key, body, headers });
  return { owner, workspace, project, read, set };
}

test('200: it is empty at first, and replaced as a whole, with a row of the audit trail', async () => {
  const { owner, workspace, project, read, set } = await tenant();
  assert.deepEqual((await read()).body, {});
  const reply = await set(ALL);
  assert.deepEqual([reply.status, reply.body], [200, ALL]);
  const second = await read();
  assert.deepEqual(second.body, ALL);
  assert.equal(second.headers.get('etag'), reply.headers.get('etag'));
  assert.equal((await unchanged(() => set(ALL))).status, 200);
  assert.deepEqual((await set({ cache: [] })).body, { cache: [] });
  assert.deepEqual((await set({})).body, {});
  const audit = await db.many(sql`
    select actor_user_id, organization_id, before, after from audit_event
     where project_id = ${project} and action = 'environment.update' order by occurred_at`);
  const by = { actor_user_id: owner.id, organization_id: workspace };
  assert.deepEqual(audit, [
    { ...by, before: {}, after: ALL },
    { ...by, before: ALL, after: { cache: [] } },
    { ...by, before: { cache: [] }, after: {} },
  ]);
});

test('200: the images that may be chosen are listed', async () => {
  const { body } = await request('GET', '/api/config', { key: (await fixtures.user()).key });
  assert.deepEqual(body.images, [{ id: 'node-22', name: 'Node.js 22' }]);
});

test('412: another person has changed it meanwhile', async () => {
  const { read, set, owner } = await tenant();
  const etag = (await read()).headers.get('etag') ?? '';
  await set({ setup: 'make' });
  const reply = await unchanged(() => set(ALL, owner, { 'If-Match': etag }));
  assert.deepEqual([reply.status, reply.body.code], [412, 'environment_changed']);
});

test('422: an image that is not offered, and paths that are not inside the repository', async () => {
  const { set } = await tenant();
  const unknown = await unchanged(() => set({ image: 'node-4' }));
  assert.deepEqual([unknown.status, unknown.body.detail[0].type], [422, 'image_not_offered']);
  assert.match(unknown.body.detail[0].msg, /choose one of node-22/);
  const paths = ['/a', '../a', 'a/../b', 'a/..', '.', './a', 'a//b', '', 'a\0', 'a'.repeat(201)];
  for (const path of paths)
    assert.equal((await unchanged(() => set({ cache: [path] }))).status, 422, path);
  const others = [
    { setup: ' ' },
    { setup: 'a'.repeat(4_001) },
    { setup_timeout_minutes: 61 },
    { setup_timeout_minutes: 0 },
    { cache: Array(21).fill('a') },
    { command: 'x' },
  ];
  for (const body of others) assert.equal((await unchanged(() => set(body))).status, 422);
});

test('two changes at once: the second one is recorded as following the first', async () => {
  const { project, set } = await tenant();
  await Promise.all(['a', 'b', 'c', 'd'].map((setup) => set({ setup })));
  const rows = await db.many<{ before: object; after: object }>(sql`
    select before, after from audit_event
     where project_id = ${project} and action = 'environment.update' order by occurred_at`);
  assert.equal(rows.length, 4);
  rows.slice(1).forEach((row, i) => {
    assert.deepEqual(row.before, rows[i]?.after);
  });
});
