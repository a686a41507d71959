import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { until } from '../../testing/harness/until.ts';
import { sql } from '../sql.ts';
import { DatabaseUnavailable, openDatabase, sqlState } from './database.ts';

const clone = await cloneDatabase();
const proxy = await startProxy(clone.url);
const db = openDatabase({ url: proxy.url, statementTimeout: 2000, lockTimeout: 300 });
after(async () => {
  await db.close();
  await proxy.close();
  await clone.drop();
});

async function asOwner(text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(clone.url);
  await client.connect();
  await client.query(text, values);
  await client.end();
}

test('the server works as a role that owns nothing', async () => {
  const [row] = await db.many<{ role: string; owned: bigint }>(sql`
    select current_user as role, (select count(*) from pg_class c
      join pg_roles r on r.oid = c.relowner
                                   where r.rolname = current_user) as owned`);
  assert.deepEqual(row, { role: 'guildhall_app', owned: 0n });
  for (const change of [
    sql`create table x ()`,
    sql`drop table audit_event`,
    sql`alter table team add x int`,
    sql`delete from audit_event`,
    sql`delete from app_user`,
  ]) {
    await assert.rejects(db.many(change), (error) => ['42501'].includes(sqlState(error)));
  }
});

test('bigint stays bigint, both ways', async () => {
  const value = 9_007_199_254_740_993n;
  assert.deepEqual(await db.read(sql`select ${value}::bigint as value`), [{ value }]);
});

test('what PostgreSQL cannot do now is "unavailable", what it refuses is not', async () => {
  const raising = (state: string) => sql`select raise(${state})`;
  await asOwner(`create function raise(state text) returns void language plpgsql as
    $$ begin raise 'no' using errcode = state; end $$`);
  for (const state of [
    '53100',
    '53200',
    '53300',
    '58030',
    '25006',
    '57P03',
    '55P03',
    '40001',
    '08006',
    '28P01',
    '28000',
  ])
    await assert.rejects(db.many(raising(state)), DatabaseUnavailable, state);
  for (const state of ['23505', '42501', '22012', 'XX000'])
    await assert.rejects(db.many(raising(state)), (error) => sqlState(error) === state);
});

test('a connection to a server that only reads is given up: the next one may lead to another server', async () => {
  const small = openDatabase({ url: clone.url, poolSize: 1 });
  const write = sql`insert into app_user (email) values ('later@x.com') on conflict do nothing`;
  const turnReadOnly = () => small.many(sql`set default_transaction_read_only = on`);
  await turnReadOnly();
  await assert.rejects(small.many(write), DatabaseUnavailable);
  await small.many(write);
  await turnReadOnly();
  await assert.rejects(
    small.transaction((tx) => tx.many(write)),
    DatabaseUnavailable,
  );
  await small.transaction((tx) => tx.many(write));
  await small.close();
});

test('a refused statement costs no connection', async () => {
  const small = openDatabase({ url: clone.url, poolSize: 1 });
  const pid = async () =>
    (await small.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid;
  const first = await pid();
  await assert.rejects(small.many(sql`select 1 / 0`));
  await assert.rejects(small.transaction((tx) => tx.many(sql`select 1 / 0`)));
  assert.equal(await pid(), first);
  await small.close();
});

test('a reader that was ended has one successor, and nothing stays open after the end', async () => {
  const pid = sql`select pg_backend_pid() as pid`;
  const seen = new Set<number>();
  // Who asks in the very moment of the break is served by the successor.
  const small = openDatabase({ url: clone.url, readers: 1, onError: () => see().catch(() => {}) });
  async function see(): Promise<void> {
    for (const reader of await small.read<{ pid: number }>(pid)) seen.add(reader.pid);
  }
  await see();
  await asOwner('select pg_terminate_backend($1::int, 1000::bigint)', [...seen]);
  while (seen.size < 2) await see().catch(() => {});
  await see();
  assert.equal(seen.size, 2);
  await small.close();
  const left = sql`select pid from pg_stat_activity where pid = any(${[...seen]}::int[])`;
  await until('none is left open', async () => (await db.many(left)).length === 0);
});

test('lock and statement time-outs are "unavailable" and affect no other request', async () => {
  const [user] = await db.many<{ id: string }>(
    sql`insert into app_user (email) values ('held@x.com') returning id`,
  );
  const rename = sql`update app_user set name = 'other' where id = ${user?.id}`;
  await db.transaction(async (tx) => {
    await tx.many(sql`select id from app_user where id = ${user?.id} for update`);
    await assert.rejects(db.many(rename), DatabaseUnavailable);
    assert.equal((await db.many(sql`select name from app_user where id = ${user?.id}`)).length, 1);
  });
  await db.many(rename);
  await assert.rejects(db.read(sql`select pg_sleep(3)`), DatabaseUnavailable);
  assert.equal((await db.read(sql`select 1`)).length, 1);
});

test('a lost connection is "unavailable" in the readers, the pool and a transaction, and all recover by themselves', async () => {
  await Promise.all(Array.from({ length: 6 }, () => db.read(sql`select 1`)));
  const running = [
    db.read(sql`select pg_sleep(1)`),
    db.many(sql`select pg_sleep(1)`),
    db.transaction((tx) => tx.many(sql`select pg_sleep(1)`)),
  ];
  const settled = Promise.allSettled(running);
  await new Promise((resolve) => setTimeout(resolve, 100));
  proxy.cut();
  for (const result of await settled) {
    assert.equal(result.status, 'rejected');
    assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable);
  }
  await assert.rejects(db.read(sql`select 1`), DatabaseUnavailable);
  await assert.rejects(
    db.transaction((tx) => tx.many(sql`select 1`)),
    DatabaseUnavailable,
  );
  proxy.mend();
  for (let i = 0; i < 6; i++) assert.equal((await db.read(sql`select 1`)).length, 1);
  assert.equal((await db.transaction((tx) => tx.many(sql`select 1`))).length, 1);
});
