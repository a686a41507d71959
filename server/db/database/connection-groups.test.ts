import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { until } from '../../testing/harness/until.ts';
import { sql } from '../sql.ts';
import { type Database, DatabaseUnavailable, openDatabase, sqlState } from './database.ts';

const clone = await cloneDatabase();
const proxy = await startProxy(clone.url);
const db = openDatabase({ url: proxy.url });
after(async () => {
  await db.close();
  await proxy.close();
  await clone.drop();
});

const newUser = async (): Promise<string> =>
  (
    await db.one<{ id: string }>(sql`
    insert into app_user (email, name) values (gen_random_uuid() || '@x.com', 'x') returning id`)
  ).id;
const nameOf = async (id: string) =>
  (await db.one<{ name: string }>(sql`select name from app_user where id = ${id}`)).name;
const append = (id: string, text: string) =>
  sql`
    update app_user set name = name || ${text} where id = ${id} returning pg_backend_pid() as pid`;
const pid = sql`select pg_backend_pid() as pid`;

/** Another client's lock on a user, until `release`. */
async function lockUser(id: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client(clone.url);
  await client.connect();
  await client.query('begin');
  await client.query('select from app_user where id = $1 for update', [id]);
  return {
    release: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

const pids = async (ask: Database['many'], count: number) => {
  const rows = await Promise.all(Array.from({ length: count }, () => ask<{ pid: number }>(pid)));
  return new Set(rows.flat().map((row) => row.pid));
};

test('the readers, the writers and the pool have connections of their own: three, four and the size of the pool', async () => {
  const groups = [await pids(db.read, 40), await pids(db.write, 40), await pids(db.many, 40)];
  assert.deepEqual(
    groups.map(({ size }) => size),
    [3, 4, 16],
  );
  assert.equal(new Set(groups.flatMap((group) => [...group])).size, 23);
});

test('no write gets through the readers, not even in a function or as a lock', async () => {
  const id = await newUser();
  await asOwner('create sequence counted; grant usage on sequence counted to guildhall_app');
  for (const query of [
    append(id, 'y'),
    sql`with changed as (${append(id, 'y')}) select * from changed`,
    sql`select id from app_user where id = ${id} for update`,
    sql`select nextval('counted')`,
  ]) {
    // Not "unavailable": such a statement is a fault of the program.
    await assert.rejects(db.read(query), (error) => sqlState(error) === '25006');
  }
  assert.equal(await nameOf(id), 'x');
  assert.equal((await db.read(sql`select 1`)).length, 1);
});

test('a write that has to wait for a lock starts again on the pool, happens once and delays no other', async () => {
  const [held, free] = [await newUser(), await newUser()];
  const writers = await pids(db.write, 8);
  const lock = await lockUser(held);
  const began = performance.now();
  let done = false;
  const waiting = db.write<{ pid: number }>(append(held, 'y')).finally(() => {
    done = true;
  });
  for (let i = 0; i < 20; i++) await db.write(append(free, '.'));
  await pause(Math.max(0, 100 - (performance.now() - began)));
  assert.equal(done, false);
  await lock.release();
  const [row] = await waiting;
  assert.ok(!writers.has(row?.pid as number), 'it still waited among the writers');
  assert.deepEqual([await nameOf(held), await nameOf(free)], ['xy', `x${'.'.repeat(20)}`]);
});

test('a write whose lock is not free within the time-out of the pool: "unavailable", and nothing changed', async () => {
  const hasty = openDatabase({ url: clone.url, lockTimeout: 500 });
  const id = await newUser();
  const lock = await lockUser(id);
  const began = performance.now();
  await assert.rejects(hasty.write(append(id, 'y')), DatabaseUnavailable);
  assert.ok(performance.now() - began >= 500);
  await lock.release();
  await hasty.close();
  assert.equal(await nameOf(id), 'x');
});

test('race: eighty writes of one row, while another client locks it again and again, all happen once', async () => {
  const id = await newUser();
  let writing = true;
  let lock = await lockUser(id);
  const disturbing = (async () => {
    while (writing) {
      await pause(60);
      await lock.release();
      await pause(5);
      lock = await lockUser(id);
    }
    await lock.release();
  })();
  const written = await Promise.allSettled(
    Array.from({ length: 80 }, (_, i) => db.write(append(id, String.fromCharCode(0x100 + i)))),
  );
  writing = false;
  await disturbing;
  assert.deepEqual(
    written.filter(({ status }) => status === 'rejected'),
    [],
  );
  const letters = [...(await nameOf(id))];
  assert.equal(letters.length, 81);
  assert.equal(new Set(letters).size, 81);
});

test('what is refused for another reason than a lock is not tried twice', async () => {
  await asOwner(`create sequence tried; grant usage on sequence tried to guildhall_app`);
  const failing = sql`select 1 / (nextval('tried') * 0)`;
  await assert.rejects(db.write(failing), (error) => sqlState(error) === '22012');
  assert.deepEqual(await db.write(sql`select nextval('tried') as value`), [{ value: 2n }]);
});

test('a writer whose server takes no writes any more is replaced: the next one may lead to another server', async () => {
  const small = openDatabase({ url: clone.url, writers: 1 });
  const id = await newUser();
  const before = await pids(small.write, 2);
  await small.write(sql`set default_transaction_read_only = on`);
  await assert.rejects(small.write(append(id, 'y')), DatabaseUnavailable);
  await small.write(append(id, 'z'));
  assert.equal(await nameOf(id), 'xz');
  assert.ok([...(await pids(small.write, 2))].every((each) => !before.has(each)));
  await small.close();
  const left = sql`select pid from pg_stat_activity where pid = any(${[...before]}::int[])`;
  await until('none is left open', async () => (await db.many(left)).length === 0);
});

test('a connection lost during a write is "unavailable", and the group recovers by itself', async () => {
  await pids(db.write, 8);
  const settled = Promise.allSettled(
    Array.from({ length: 8 }, () => db.write(sql`select pg_sleep(1)`)),
  );
  await pause(100);
  proxy.cut();
  for (const result of await settled)
    assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable);
  await assert.rejects(db.write(pid), DatabaseUnavailable);
  proxy.mend();
  assert.equal((await pids(db.write, 8)).size, 4);
});

test('behind a pooler, which gives all connections the same settings, a write takes the pool', async () => {
  const pooled = openDatabase({ url: clone.url, pooler: 'transaction', poolSize: 1 });
  const [own] = await pids(pooled.many, 1);
  assert.deepEqual([...(await pids(pooled.write, 4))], [own]);
  await pooled.close();
});

async function asOwner(text: string): Promise<void> {
  const client = new pg.Client(clone.url);
  await client.connect();
  await client.query(text);
  await client.end();
}
