import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startProxy } from '../../testing/database/proxy.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { sql } from '../sql.ts';
import { DatabaseUnavailable, openDatabase } from './database.ts';

let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
const {
  url,
  databaseUrl,
  db,
  fixtures,
  request,
  owner: asOwner,
  unchanged,
} = await startHarness({
  env: {
    DATABASE_STATEMENT_TIMEOUT_MS: '600',
    DATABASE_LOCK_TIMEOUT_MS: '200',
    DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: '300',
    DATABASE_CONNECT_TIMEOUT_MS: '500',
    REQUEST_TIMEOUT_MS: '500',
  },
  through: async (direct) => {
    proxy = await startProxy(direct);
    return proxy.url;
  },
});
after(() => proxy?.close());

const took = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

async function plan() {
  const owner = await fixtures.user();
  const task = await fixtures.task(await fixtures.project({ userId: owner.id }), owner);
  await fixtures.revision(task);
  return {
    task,
    approve: () => request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key }),
  };
}

test('a statement ends after DATABASE_STATEMENT_TIMEOUT_MS in every group of connections; a transaction may have a time of its own', async () => {
  const slow = sql`select pg_sleep(1)`;
  assert.ok((await took(() => assert.rejects(db.read(slow), DatabaseUnavailable))) < 1_000);
  assert.ok((await took(() => assert.rejects(db.write(slow), DatabaseUnavailable))) < 1_000);
  assert.ok((await took(() => assert.rejects(db.many(slow), DatabaseUnavailable))) < 1_000);
  for (const statementTimeout of [3_000, 0])
    await db.transaction((tx) => tx.many(slow), { statementTimeout });
});

test('a request that waits for a lock longer than DATABASE_LOCK_TIMEOUT_MS: 503, and nothing changed', async () => {
  const { task, approve } = await plan();
  const other = new pg.Client(databaseUrl);
  await other.connect();
  await other.query('begin');
  await other.query('select from plan where task_id = $1 for update', [task]);
  await unchanged(async () => assert.equal((await approve()).body.code, 'database_unavailable'));
  await other.query('commit');
  await other.end();
  assert.equal((await approve()).status, 200);
});

test('a transaction that idles longer than DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS is ended and leaves nothing', async () => {
  const insert = (email: string) => sql`insert into app_user (email) values (${email})`;
  const idle = db.transaction(async (tx) => {
    await tx.many(insert('idle-1@x.com'));
    await pause(500);
    await tx.many(insert('idle-2@x.com'));
  });
  await assert.rejects(idle, DatabaseUnavailable);
  assert.deepEqual(await db.many(sql`select id from app_user where email like 'idle-%'`), []);
});

test('a request that does not arrive within REQUEST_TIMEOUT_MS: 408', async () => {
  const { key } = await fixtures.user();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = `POST /api/billing/add-funds HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
  socket.write(`${head}content-length: 10\r\n\r\n{`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
});

test('a database that falls silent, as behind a pulled cable: 503 in bounded time, and all works when it is back', async () => {
  const { approve } = await plan();
  const idle = openDatabase({ url: proxy?.url as string });
  await Promise.all([idle.read(sql`select 1`), idle.many(sql`select 1`)]);
  await Promise.all(Array.from({ length: 6 }, () => db.read(sql`select 1`)));
  proxy?.silence();
  const waited = await took(async () => {
    const asked = [
      approve(),
      request('GET', '/readyz'),
      db.transaction((tx) => tx.many(sql`select 1`)).catch((error) => error),
      idle.close(), // it ends although nobody says goodbye
    ] as const;
    const [approved, ready, failed] = await Promise.all(asked);
    assert.deepEqual([approved.status, approved.headers.get('retry-after')], [503, '5']);
    assert.equal(ready.status, 503);
    assert.ok(failed instanceof DatabaseUnavailable);
  });
  assert.ok(waited < 9_000, `${waited} ms`);
  proxy?.mend();
  for (let i = 0; (await approve()).status !== 200; i++) assert.ok(i < 5, 'not recovered');
  assert.deepEqual(await asOwner(sql`select count(*)::int as n from outbox`), [{ n: 2 }]);
});

test('a slow statement is logged with its text, shortened, and without its values', async () => {
  const told: { milliseconds: number; statement: string }[] = [];
  const watched = openDatabase({
    url: databaseUrl,
    slowStatement: 100,
    onSlow: (slow) => told.push(slow),
  });
  try {
    await watched.many(sql`select 'quick', ${'a secret'}::text`);
    for (const run of [watched.many, watched.read])
      await run(sql`select pg_sleep(0.15),
                           ${'a secret'}::text`);
    assert.deepEqual(
      told.map(({ statement }) => statement),
      Array(2).fill('select pg_sleep(0.15), $1::text'),
    );
    assert.ok(told.every(({ milliseconds }) => milliseconds >= 100));
  } finally {
    await watched.close();
  }
});
