import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { diskStore } from '../platform/files/disk-store.ts';
import { FileStoreUnavailable } from '../platform/files/file-store.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { seriesOf } from '../testing/harness/metrics.ts';
import { until } from '../testing/harness/until.ts';

const MIB = 1024 * 1024;
const disk = diskStore(await temporaryFolder());
let broken = false;
const { db, fixtures, metrics, request, unchanged, url } = await startHarness({
  env: { FILES_PER_PROJECT_MB: '2', MAX_CONCURRENT_REQUESTS: '4' },
  files: {
    ...disk,
    put: (...args) =>
      broken ? Promise.reject(new FileStoreUnavailable('no space')) : disk.put(...args),
  },
});
const owner = await fixtures.user();
const { host } = new URL(url);

async function newTask(): Promise<string> {
  return fixtures.task(await fixtures.project({ userId: owner.id }), owner);
}
const pathOf = (task: string) => `/api/tasks/${task}/attachments?filename=a`;
const upload = (task: string, raw: Buffer) =>
  request('POST', pathOf(task), { key: owner.key, raw });

/** Waits until so many files are on their way. */
const untilUnderWay = (direction: 'upload' | 'download', count: number) =>
  until(`${count} on their way`, async () => {
    const transfers = await seriesOf(metrics, 'guildhall_file_transfers');
    return transfers[`{direction="${direction}"}`] === count;
  });

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of disk.list()) keys.push(...page.map(({ key }) => key));
  return keys;
}

test('409: a project holds as much as it may, to the byte, and deleting makes room', async () => {
  const task = await newTask();
  const first = await upload(task, Buffer.alloc(MIB));
  assert.equal((await upload(task, Buffer.alloc(MIB))).status, 201);
  const before = await stored();
  const reply = await unchanged(() => upload(task, Buffer.alloc(1)));
  assert.deepEqual([reply.status, reply.body.code], [409, 'storage_full']);
  assert.deepEqual([reply.body.limit_bytes, reply.body.used_bytes], [2 * MIB, 2 * MIB]);
  assert.deepEqual(await stored(), before);
  assert.equal((await upload(task, Buffer.alloc(0))).status, 201);
  const made = `/api/tasks/${task}/attachments/${first.body.id}`;
  assert.equal((await request('DELETE', made, { key: owner.key })).status, 204);
  assert.equal((await upload(task, Buffer.alloc(1))).status, 201);
});

test('race: of uploads that would fill a project twice over, those that fit are stored and the others refused', async () => {
  const task = await newTask();
  const { project_id } = await db.one<{ project_id: string }>(
    sql`select project_id from task where id = ${task}`,
  );
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => upload(task, randomBytes(0.75 * MIB))),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  const own = (await stored()).filter((key) => key.startsWith(project_id));
  assert.equal(own.length, 2);
});

test('an upload that ends before its announced length leaves nothing, and its place is free again', async () => {
  const task = await newTask();
  const before = await stored();
  await unchanged(async () => {
    for (let i = 0; i < 6; i++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `POST ${pathOf(task)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${owner.key}\r\n` +
          `Content-Length: 1000000\r\n\r\n${'x'.repeat(300_000)}`,
      );
      await untilUnderWay('upload', 1);
      socket.destroy();
      await untilUnderWay('upload', 0);
    }
  });
  assert.deepEqual(await stored(), before);
  assert.equal((await upload(task, Buffer.from('x'))).status, 201);
});

test('503: one person’s slow uploads hold their four places and no other’s, and no request slot', async () => {
  const task = await newTask();
  const colleague = await fixtures.user();
  const sockets = Array.from({ length: 6 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST ${pathOf(task)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${owner.key}\r\n` +
        'Content-Length: 1000\r\n\r\nx',
    );
    return socket;
  });
  await untilUnderWay('upload', 4);
  const busy = await upload(task, Buffer.from('x'));
  assert.deepEqual([busy.status, busy.body.code], [503, 'uploads_busy']);
  assert.ok(busy.headers.get('retry-after'));
  const reads = Array.from({ length: 4 }, () =>
    request('GET', '/api/projects', { key: owner.key }),
  );
  for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
  const own = await fixtures.task(await fixtures.project({ userId: colleague.id }), colleague);
  const theirs = await request('POST', pathOf(own), { key: colleague.key, raw: 'x' });
  assert.equal(theirs.status, 201);
  for (const socket of sockets) socket.destroy();
  await untilUnderWay('upload', 0);
  assert.equal((await upload(task, Buffer.from('x'))).status, 201);
});

test('slow readers hold their places, and no one waits for them', async () => {
  const task = await newTask();
  const { body } = await upload(task, randomBytes(2 * MIB));
  const content = `/api/tasks/${task}/attachments/${body.id}/content`;
  const readers = Array.from({ length: 20 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    const status = new Promise<string>((resolve) =>
      socket.once('data', (data) => {
        socket.pause();
        resolve(String(data).slice(9, 12));
      }),
    );
    socket.write(
      `GET ${content} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`,
    );
    return { socket, status };
  });
  const statuses = await Promise.all(readers.map(({ status }) => status));
  assert.ok(statuses.every((status) => ['200', '503'].includes(status)));
  assert.ok(statuses.filter((status) => status === '200').length >= 4);
  const reads = Array.from({ length: 4 }, () =>
    request('GET', '/api/projects', { key: owner.key }),
  );
  for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
  for (const { socket } of readers) socket.destroy();
  await untilUnderWay('download', 0);
  const whole = await fetch(`${url}${content}`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  assert.equal((await whole.arrayBuffer()).byteLength, 2 * MIB);
});

test('503: a store that cannot be used is said, and nothing is written; with its key the upload can be repeated', async () => {
  const task = await newTask();
  const headers = { 'idempotency-key': 'while it is broken' };
  const send = () => request('POST', pathOf(task), { key: owner.key, raw: 'x', headers });
  broken = true;
  const reply = await unchanged(send);
  assert.deepEqual([reply.status, reply.body.code], [503, 'file_store_unavailable']);
  broken = false;
  const made = await send();
  assert.equal(made.status, 201);
  const again = await send();
  assert.deepEqual([again.status, again.text], [201, made.text]);
  const listed = await request('GET', `/api/tasks/${task}/attachments`, { key: owner.key });
  assert.equal(listed.body.length, 1);
});

test('429: uploads have a limit of their own, in addition to that of requests', async () => {
  const limited = await startHarness({ env: { RATE_LIMIT_UPLOADS_PER_MINUTE: '2' } });
  const user = await limited.fixtures.user();
  const task = await limited.fixtures.task(
    await limited.fixtures.project({ userId: user.id }),
    user,
  );
  const send = () => limited.request('POST', pathOf(task), { key: user.key, raw: 'x' });
  assert.deepEqual(
    [(await send()).status, (await send()).status, (await send()).status],
    [201, 201, 429],
  );
  assert.equal((await limited.request('GET', '/api/projects', { key: user.key })).status, 200);
});
