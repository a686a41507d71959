import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { signedIn } from '../access/account.ts';
import { onWorkspaceOf } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { boolean, date, dateTime, integer, nullable, text, uuid } from './input/fields.ts';
import { openApi } from './openapi.ts';
import { resource } from './resource.ts';
import { route } from './route.ts';

// What operations to come need of requests and answers, each ability in an operation of this test's
// own.

const base = { area: 'Account' as const, summary: 'A test', description: 'A test.', errors: [] };
const echoed = Type.Object({ echo: Type.String() });
const echo = (value: unknown) => ({ status: 200, body: { echo: JSON.stringify(value) } });
const inputs = route({
  ...base,
  method: 'POST',
  path: '/api/test/inputs',
  operationId: 'test_inputs',
  access: signedIn,
  query: Type.Object({
    archived: Type.Optional(boolean()),
    since: Type.Optional(date()),
    status: Type.Optional(Type.Array(text({ minLength: 1, maxLength: 20 }), { maxItems: 5 })),
  }),
  body: Type.Object(
    {
      tags: Type.Array(text({ minLength: 1, maxLength: 20 }), { maxItems: 3 }),
      place: Type.Object(
        { line: integer({ minimum: 1, maximum: 100 }) },
        { additionalProperties: false },
      ),
      note: Type.Optional(nullable(text({ minLength: 1, maxLength: 20 }))),
      at: Type.Optional(dateTime()),
    },
    { additionalProperties: false },
  ),
  bodyLimit: 1024,
  sample: () => ({ body: { tags: [], place: { line: 1 } } }),
  responses: { 200: { description: 'What was sent.', schema: echoed, example: { echo: '' } } },
  handle: async ({ query, body }) => echo({ query, body }),
});

const thing = resource('TestThing', {
  id: [uuid(), sql`t.id`, '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'],
  name: [text({ minLength: 1, maxLength: 100 }), sql`t.name`, 'Core', 'writable'],
});

const started = route({
  ...base,
  method: 'POST',
  path: '/api/test/jobs',
  operationId: 'test_start',
  access: onWorkspaceOf<{ body: { organization_id: string } }>(
    'update_team',
    ({ body }) => body.organization_id,
  ),
  body: Type.Object({ organization_id: uuid() }, { additionalProperties: false }),
  sample: ({ org_id }) => ({ body: { organization_id: org_id } }),
  responses: { 202: thing.shown('It runs.', ['Location']) },
  handle: ({ statement }) =>
    statement<{ id: string }>(
      { select: sql`select organization_id as id from authorized` },
      (row) => ({
        status: 202,
        body: { id: row.id, name: 'Job' },
        headers: { location: `/api/test/jobs/${row.id}` },
      }),
    ),
});

const { fixtures, request, unchanged } = await startHarness({ routes: [inputs, started] });
const user = await fixtures.user();
const key = user.key;

test('bodies hold lists, objects, null, integers and times; queries hold booleans, lists and dates', async () => {
  const sent = {
    tags: ['a', 'b'],
    place: { line: 3 },
    note: null,
    at: '2026-11-22T10:00:00+02:00',
  };
  const query = '?archived=true&since=2026-11-01&status=open&status=done';
  const reply = await request('POST', `/api/test/inputs${query}`, { key, body: sent });
  assert.deepEqual(JSON.parse(reply.body.echo), {
    query: { archived: true, since: '2026-11-01', status: ['open', 'done'] },
    body: { ...sent, at: '2026-11-22T08:00:00.000Z' },
  });
  const faults = await request('POST', '/api/test/inputs?archived=maybe', {
    key,
    body: { tags: ['', 2], place: { line: 0, x: 1 }, note: 5, at: 'now' },
  });
  assert.deepEqual(
    faults.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.')),
    [
      'query.archived',
      'body.tags.0',
      'body.tags.1',
      'body.place.line',
      'body.place.x',
      'body.note',
      'body.at',
    ],
  );
});

test('413: a route has a limit of its own for its body', async () => {
  const body = { tags: ['x'.repeat(1500)], place: { line: 1 } };
  const reply = await request('POST', '/api/test/inputs', { key, body });
  assert.deepEqual(
    [reply.status, reply.body.detail],
    [413, 'The request body is larger than 1 KiB: send a smaller one'],
  );
});

test('202 with a Location; the right depends on a value of the body', async () => {
  const workspace = await fixtures.workspace(user);
  const other = await fixtures.workspace(await fixtures.user());
  const send = (organization_id: string) =>
    request('POST', '/api/test/jobs', { key, body: { organization_id } });
  const reply = await send(workspace);
  assert.deepEqual(
    [reply.status, reply.headers.get('location')],
    [202, `/api/test/jobs/${workspace}`],
  );
  assert.equal((await unchanged(() => send(other))).status, 403);
  assert.equal((await unchanged(() => send('5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a'))).status, 404);
});

test('a named schema is one component of the document, referred to where it is used', () => {
  const document = JSON.parse(JSON.stringify(openApi([started], { publicUrl: 'http://x' })));
  assert.deepEqual(Object.keys(document.components.schemas.TestThing.properties), ['id', 'name']);
  const { schema } =
    document.paths['/api/test/jobs'].post.responses['202'].content['application/json'];
  assert.deepEqual(schema, { $ref: '#/components/schemas/TestThing' });
});
