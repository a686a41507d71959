import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { signedIn } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';
import { createExports, exportBusy } from './exports.ts';
import { route } from './route.ts';

// Downloads that are made while they are sent, in operations of this test's own.

const base = {
  method: 'GET' as const,
  area: 'Account' as const,
  summary: 'A test',
  description: 'A test.',
  access: signedIn,
  responses: { 200: { description: 'A text.', mediaType: 'text/csv' } },
  errors: [exportBusy],
};

let open = 0;
const KIB = 'x'.repeat(1023);

/** Lines without end, each made with a connection, as an export does. */
const download = (name: string, at: (line: number) => void) =>
  route({
    ...base,
    path: `/api/test/${name}`,
    operationId: `test_${name}`,
    handle: async ({ load, begin }) => {
      await load();
      async function* chunks() {
        open++;
        try {
          for (let line = 0; ; line++) {
            await begin((tx) => tx.many(sql`select 1`));
            at(line);
            yield `${KIB}\n`.repeat(64);
          }
        } finally {
          open--;
        }
      }
      return { status: 200, download: { name, mediaType: 'text/csv', chunks: chunks() } };
    },
  });

const endless = download('endless', () => {});
const broken = download('broken', (line) => {
  if (line === 20) throw new Error('the disk is on fire');
});
const refused = download('refused', () => {
  throw new Error('the disk is on fire');
});

const { fixtures, request, url, db, shutdown } = await startHarness({
  routes: [endless, broken, refused],
  env: { SEND_TIMEOUT_MS: '500', SHUTDOWN_TIMEOUT_MS: '300', DATABASE_POOL_SIZE: '4' },
});
const users = await Promise.all(Array.from({ length: 12 }, () => fixtures.user()));
const get = (name: string, user: User, signal?: AbortSignal) =>
  fetch(`${url}/api/test/${name}`, {
    headers: { authorization: `Bearer ${user.key}` },
    ...(signal && { signal }),
  });

const nothingIsLeft = () =>
  until('nothing is left', () => open === 0 && db.connections().used === 0);

/** Asks and then reads nothing. */
function askAndSleep(user: User): Promise<{ socket: Socket; head: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(
    `GET /api/test/endless HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${user.key}\r\n\r\n`,
  );
  socket.on('error', () => {});
  return new Promise((resolve) =>
    socket.once('data', (head) => resolve({ socket: socket.pause(), head: String(head) })),
  );
}

test('a dozen clients that read nothing: eight are served and cut, the others told to wait; no other user notices', async () => {
  const all = await Promise.all(users.map(askAndSleep));
  const statuses = all.map(({ head }) => head.slice(9, 12)).toSorted();
  assert.deepEqual(statuses, [...Array(8).fill('200'), ...Array(4).fill('503')]);
  assert.equal(open, 8);
  await until(
    'all eight wait without a connection',
    () => open === 8 && db.connections().used === 0,
  );
  for (let i = 0; i < 20; i++)
    assert.equal((await request('GET', '/api/billing/balance', users[0])).status, 200);
  // Then they are cut.
  await nothingIsLeft();
  for (const { socket } of all) socket.destroy();
});

test('where all slots are taken, a reader that stalled for two seconds gives way; one that reads does not', async () => {
  const exports = createExports({ limit: 2 });
  async function* lines() {
    for (;;) yield `${KIB}\n`.repeat(64);
  }
  const stalled = await exports.start('idle', lines());
  const reading = await exports.start('busy', lines());
  const cut = new Promise((resolve) => stalled.once('error', resolve));
  stalled.read(1);
  await assert.rejects(() => exports.start('next', lines()), exportBusy().constructor);
  let bytes = 0;
  reading.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    reading.pause();
    setTimeout(() => reading.resume(), 50);
  });
  await pause(2_100);
  const next = await exports.start('next', lines());
  await cut;
  assert.deepEqual([stalled.destroyed, reading.destroyed, exports.running()], [true, false, 2]);
  assert.ok(bytes > 0);
  const ended = [reading, next].map(
    (body) => new Promise((resolve) => body.once('error', resolve).once('close', resolve)),
  );
  exports.close();
  await Promise.all(ended);
  assert.equal(exports.running(), 0);
});

test('503: one export of each user at a time; it may be asked for again when the first has ended', async () => {
  const [user] = users as [User];
  const leave = new AbortController();
  const first = await get('endless', user, leave.signal);
  assert.equal(first.status, 200);
  const second = await request('GET', '/api/test/endless', user);
  assert.deepEqual(
    [second.status, second.body.code, second.headers.get('retry-after')],
    [503, 'export_busy', '10'],
  );
  leave.abort();
  await nothingIsLeft();
  const third = await get('endless', user);
  assert.equal(third.status, 200);
  await third.body?.cancel();
  await nothingIsLeft();
});

test('a client that hangs up in the middle leaves nothing behind, a hundred times', async () => {
  for (let round = 0; round < 25; round++) {
    await Promise.all(
      users.slice(0, 4).map(async (user) => {
        const reply = await get('endless', user);
        assert.equal(reply.status, 200);
        const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
        for (let i = 0; i < round % 5; i++) await reader.read();
        await reader.cancel();
      }),
    );
    await nothingIsLeft();
  }
});

test('a failure in the middle breaks the connection: no part looks like the whole', async () => {
  const [user] = users as [User];
  const reply = await get('broken', user);
  assert.equal(reply.status, 200);
  await assert.rejects(reply.text());
  await nothingIsLeft();
});

test('500: a failure before the first line is answered as one', async () => {
  const { status, body } = await request('GET', '/api/test/refused', users[0]);
  assert.deepEqual([status, body.code], [500, 'internal_error']);
  await nothingIsLeft();
});

test('an export that still runs when the server has to end is broken off', async () => {
  const reply = await get('endless', users[0] as User);
  const text = reply.text();
  await Promise.all([assert.rejects(text), shutdown()]);
  await nothingIsLeft();
});
