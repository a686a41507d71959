import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { onWorkspace } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { probe } from '../testing/harness/probe.ts';
import { uuid } from './input/fields.ts';
import { route } from './route.ts';

// Operations as nobody should write them: what they forget, the pipeline and the database refuse.

const operation = (name: string, method: 'GET' | 'POST') => ({
  method,
  path: `/api/organizations/{org_id}/${name}`,
  area: 'Workspaces' as const,
  operationId: name,
  summary: name,
  description: name,
  access: onWorkspace('update_team'),
  params: Type.Object({ org_id: uuid() }),
  responses: { 200: { description: 'Done.', schema: Type.Object({}), example: {} } },
  errors: [],
});
const done = () => ({ status: 200, body: {} });

const overwrites = route({
  ...operation('overwrites', 'GET'),
  handle: ({ statement }) =>
    statement(
      {
        select: sql`
          select true as found, null as refusal, null as denied_because, null as denied,
                 u.id as user_id, u.id as "userId"
            from app_user u limit 1`,
      },
      done,
    ),
});

const writing = (id: string) => ({
  with: sql`changed as (update organization set name = 'Taken' where id = ${id} returning id)`,
  select: sql`select 1`,
});
const forgets = route({
  ...operation('forgets', 'POST'),
  handle: ({ params, statement }) => statement(writing(params.org_id), done),
});
const writesToo = route({
  ...operation('writes', 'GET'),
  handle: ({ params, statement }) => statement(writing(params.org_id), done),
});

const { fixtures, request, unchanged, db } = await startHarness({
  routes: [overwrites, forgets, writesToo],
});
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner, { name: 'Acme' });
const [stranger, viewer] = [await fixtures.user(), await fixtures.user()];
await fixtures.member(workspace, viewer, 'viewer');
const at = (name: string, id = workspace) => `/api/organizations/${id}/${name}`;

test('403: columns of an operation that look like a verdict let no stranger in', async () => {
  assert.equal((await request('GET', at('overwrites'), { key: owner.key })).status, 200);
  for (const { key } of [stranger, viewer])
    assert.equal((await request('GET', at('overwrites'), { key })).body.code, 'forbidden');
});

test('500: a GET that writes is refused by PostgreSQL, whoever asks, and nothing changes', async () => {
  for (const { key } of [owner, stranger]) {
    const reply = await unchanged(() => request('GET', at('writes'), { key }));
    assert.deepEqual([reply.status, reply.body.code], [500, 'internal_error']);
  }
});

test('403: a write that forgets the authorized row is undone, with an Idempotency-Key and without', async () => {
  const nowhere = '00000000-0000-4000-8000-00000000dead';
  for (const { key } of [stranger, viewer]) {
    for (const headers of [{}, { 'idempotency-key': 'forgets' }]) {
      const reply = await unchanged(() => request('POST', at('forgets'), { key, headers }));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
      const missing = await unchanged(() => request('POST', at('forgets', nowhere), { key }));
      assert.deepEqual([missing.status, missing.body.code], [404, 'not_found']);
    }
  }
  const revoked = await fixtures.user();
  await request('GET', at('overwrites'), { key: revoked.key });
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${revoked.id}`);
  const reply = await unchanged(() => request('POST', at('forgets'), { key: revoked.key }));
  assert.deepEqual([reply.status, reply.body.code], [401, 'invalid_api_key']);
  assert.equal((await request('POST', at('forgets'), { key: owner.key })).status, 200);
});

test('a statement that names a column of the verdict is refused', async () => {
  for (const column of ['"$denied"', '"$found"', '"$user"', '"$other"']) {
    const broken = route({
      ...operation('broken', 'GET'),
      handle: ({ statement }) => statement({ select: sql`select null as ${named(column)}` }, done),
    });
    await assert.rejects(probe(broken), /may not name a column that begins with \$/);
  }
});

const named = (text: string) =>
  ({ '"$denied"': sql`"$denied"`, '"$found"': sql`"$found"`, '"$user"': sql`"$user"` })[text] ??
  sql`"$other"`;

test('the sample of an operation is checked by its own schemas', async () => {
  const broken = route({
    ...operation('broken', 'POST'),
    body: Type.Object({ id: uuid() }),
    sample: () => ({ body: { id: 'none' } }),
    handle: async () => done(),
  });
  await assert.rejects(probe(broken), /the sample of broken is refused/);
});
