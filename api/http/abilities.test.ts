import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { signedIn } from '../access/account.ts';
import { onWorkspaceOf } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness.ts';
import type { ServerEvent } from './event-stream.ts';
import { boolean, date, dateTime, integer, nullable, text, uuid } from './input/fields.ts';
import { openApi } from './openapi.ts';
import { resource } from './resource.ts';
import { route } from './route.ts';

// What operations to come need of the foundation, each ability in an operation of this test's own.

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

const stored = new Map<string, Buffer>();

const upload = route({
  ...base,
  method: 'POST',
  path: '/api/test/files',
  operationId: 'test_upload',
  access: signedIn,
  query: Type.Object({ filename: text({ minLength: 1, maxLength: 255 }) }),
  upload: { maxBytes: 3 * 1024 * 1024 },
  sample: () => ({ query: { filename: 'a.txt' } }),
  responses: { 201: { description: 'Stored.', schema: echoed, example: { echo: '' } } },
  handle: async ({ query, upload, load }) => {
    await load();
    const bytes = await buffer(upload.bytes);
    stored.set(query.filename, bytes);
    return { ...echo({ type: upload.mediaType, size: bytes.length }), status: 201 };
  },
});

const download = route({
  ...base,
  method: 'GET',
  path: '/api/test/files',
  operationId: 'test_download',
  access: signedIn,
  query: Type.Object({ filename: text({ minLength: 1, maxLength: 255 }) }),
  sample: () => ({ query: { filename: 'a.txt' } }),
  responses: {
    200: { description: 'The file.', mediaType: 'application/octet-stream' },
    206: { description: 'A part of it.', mediaType: 'application/octet-stream' },
  },
  handle: async ({ query, load }) => {
    await load();
    const bytes = stored.get(query.filename) ?? Buffer.alloc(0);
    return {
      status: 200,
      file: {
        name: query.filename,
        mediaType: 'text/html',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        open: (start, end) => Readable.from(bytes.subarray(start, end + 1)),
      },
    };
  },
});

let ended = 0;
async function* ticks(): AsyncGenerator<ServerEvent> {
  try {
    for (let n = 1; ; n++) {
      yield { id: String(n), event: 'tick', data: `{"n":${n}}` };
      await pause(20);
    }
  } finally {
    ended++;
  }
}

const stream = route({
  ...base,
  method: 'GET',
  path: '/api/test/events',
  operationId: 'test_events',
  access: signedIn,
  responses: { 200: { description: 'Events.', mediaType: 'text/event-stream' } },
  handle: async ({ load }) => {
    await load();
    return { status: 200, events: ticks() };
  },
});

const harness = await startHarness({
  routes: [inputs, started, upload, download, stream],
  env: { MAX_CONCURRENT_REQUESTS: '2' },
});
const { fixtures, request, unchanged, url } = harness;
const user = await fixtures.user();
const key = user.key;
const authorization = `Bearer ${key}`;

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
  assert.deepEqual([reply.status, reply.body.detail], [413, 'The request body is over 1 KiB']);
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

test('files go up as they are and come down whole or in ranges, always as a download', async () => {
  const bytes = randomBytes(2 * 1024 * 1024);
  const path = '/api/test/files?filename=%E2%82%AC%20(1).html';
  const up = await request('POST', path, {
    key,
    raw: bytes,
    headers: { 'content-type': 'image/png' },
  });
  assert.deepEqual(
    [up.status, JSON.parse(up.body.echo)],
    [201, { type: 'image/png', size: bytes.length }],
  );

  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers: { authorization, ...headers } });
  const whole = await get();
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes);
  assert.equal(whole.headers.get('content-length'), String(bytes.length));
  assert.equal(
    whole.headers.get('content-disposition'),
    "attachment; filename*=UTF-8''%E2%82%AC%20%281%29.html",
  );
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  const etag = whole.headers.get('etag') as string;
  for (const [range, start, end] of [
    ['bytes=0-99', 0, 99],
    ['bytes=2097100-', 2097100, 2097151],
    ['bytes=-10', 2097142, 2097151],
    ['bytes=5-99999999', 5, 2097151],
  ] as const) {
    const part = await get({ range, 'if-range': etag });
    assert.equal(part.status, 206, range);
    assert.equal(part.headers.get('content-range'), `bytes ${start}-${end}/${bytes.length}`);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(start, end + 1));
  }
  for (const range of ['bytes=9-5', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=-'])
    assert.equal((await get({ range })).status, 200, range);
  assert.equal((await get({ range: 'bytes=0-9', 'if-range': '"old"' })).status, 200);
  const beyond = await get({ range: 'bytes=99999999-' });
  assert.deepEqual(
    [beyond.status, beyond.headers.get('content-range')],
    [416, `bytes */${bytes.length}`],
  );
  const head = await get({}, 'HEAD');
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.equal(head.headers.get('content-length'), String(bytes.length));
});

test('413: a file over its limit is refused, announced or not, and not stored', async () => {
  const path = '/api/test/files?filename=large';
  const large = Buffer.alloc(3 * 1024 * 1024 + 1);
  const announced = await request('POST', path, { key, raw: large });
  assert.deepEqual(
    [announced.status, announced.body.detail],
    [413, 'The request body is over 3 MiB'],
  );
  const chunked = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization },
    body: Readable.toWeb(Readable.from([large.subarray(0, 2e6), large.subarray(2e6)])) as never,
    duplex: 'half',
  } as never);
  assert.equal(chunked.status, 413);
  assert.equal(stored.has('large'), false);
});

test('events stream without holding a request slot, and end when their reader leaves', async () => {
  const readers = [];
  for (let n = 0; n < 5; n++) {
    const leave = new AbortController();
    const reply = await fetch(`${url}/api/test/events`, {
      headers: { authorization, accept: 'text/event-stream' },
      signal: leave.signal,
    });
    assert.equal(reply.headers.get('content-type'), 'text/event-stream');
    readers.push({ leave, reader: (reply.body as ReadableStream<Uint8Array>).getReader() });
  }
  for (const { reader } of readers) {
    let seen = '';
    while (!seen.includes('{"n":3}')) seen += new TextDecoder().decode((await reader.read()).value);
    assert.match(seen, /^:\n\nid: 1\nevent: tick\ndata: {"n":1}\n\nid: 2\n/);
  }
  assert.equal((await request('GET', '/api/billing/balance', { key })).status, 200);
  for (const { leave } of readers) leave.abort();
  for (let i = 0; ended < 5 && i < 100; i++) await pause(20);
  assert.equal(ended, 5);
});
