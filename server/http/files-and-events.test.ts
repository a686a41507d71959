import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { signedIn } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { openClient } from '../testing/clients/sockets.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { ticks } from '../testing/harness/sources.ts';
import { until } from '../testing/harness/until.ts';
import { text } from './input/fields.ts';
import { route } from './route.ts';

// Files up and down and events, each in an operation of this test's own.

const base = { area: 'Account' as const, summary: 'A test', description: 'A test.', errors: [] };
const echoed = Type.Object({ echo: Type.String() });
const echo = (value: unknown) => ({ status: 200, body: { echo: JSON.stringify(value) } });
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
    200: { description: 'The file.', mediaType: '*/*' },
    206: { description: 'A part of it.', mediaType: '*/*' },
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

const opened: ReturnType<typeof ticks>['state'][] = [];
const everyTick = () => {
  const { source, state } = ticks(20, (n) => `id: ${n}\nevent: tick\ndata: {"n":${n}}\n\n`);
  opened.push(state);
  return source;
};
const stopped = () => opened.filter((state) => state.stopped).length;

const stream = route({
  ...base,
  method: 'GET',
  path: '/api/test/events',
  operationId: 'test_events',
  access: {
    ...signedIn,
    many: sql`select number, null::uuid as organization_id, null as denied_because from caller`,
  },
  responses: { 200: { description: 'Events.', mediaType: 'text/event-stream' } },
  handle: async ({ load }) => {
    const { userId } = await load();
    return { status: 200, events: { source: everyTick(), objectId: userId } };
  },
});

const { fixtures, request, url, shutdown } = await startHarness({
  routes: [upload, download, stream],
  env: { MAX_CONCURRENT_REQUESTS: '2' },
});
const { key } = await fixtures.user();
const authorization = `Bearer ${key}`;

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
    [413, 'The request body is larger than 3 MiB: send a smaller one'],
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
  await until('their end', () => stopped() === 5);
});

test('HEAD of a stream answers its headers and opens none', async () => {
  const before = opened.length;
  const reply = await fetch(`${url}/api/test/events`, {
    method: 'HEAD',
    headers: { authorization },
  });
  assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/event-stream']);
  assert.deepEqual(
    opened.slice(before).map(({ started, stopped }) => ({ started, stopped })),
    [{ started: false, stopped: true }],
  );
});

test('a stream has the headers of every answer', async () => {
  const leave = new AbortController();
  const options = { headers: { authorization }, signal: leave.signal };
  // These have another value in each answer; those of the connection depend on the method.
  const changing = ['date', 'x-request-id', 'ratelimit'];
  const apart = [...changing, 'connection', 'keep-alive', 'transfer-encoding'];
  const headersOf = async (method: string) => {
    const { headers } = await fetch(`${url}/api/test/events`, { ...options, method });
    for (const name of changing) assert.ok(headers.has(name), name);
    return Object.fromEntries([...headers].filter(([name]) => !apart.includes(name)));
  };
  const headers = await headersOf('GET');
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(headers, await headersOf('HEAD'));
  leave.abort();
});

test('streams that wait behind another one on their connection end with it', async () => {
  const before = opened.length;
  const head = `GET /api/test/events HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
  const client = await openClient(url, { bytes: head + head });
  const both = () => opened.slice(before);
  await until('two streams', () => both().filter(({ started }) => started).length === 2);
  client.socket.destroy();
  await until('their end', () => both().every(({ stopped }) => stopped));
});

test('streams end first at shutdown, and tell the client when to reconnect', async () => {
  const reply = await fetch(`${url}/api/test/events`, { headers: { authorization } });
  const text = reply.text();
  await pause(50);
  await shutdown();
  assert.match(await text, /\nretry: 1000\n\n$/);
});
