import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cloneDatabase } from '../testing/database.ts';
import { startProxy } from '../testing/proxy.ts';
import { DatabaseUnavailable, openDatabase, sqlState } from './database.ts';
import { sql, statement } from './sql.ts';

const clone = await cloneDatabase();
const proxy = await startProxy(clone.url);
const db = openDatabase({ url: proxy.url, statementTimeout: 2000, lockTimeout: 300 });
after(async () => {
  await db.close();
  await proxy.close();
  await clone.drop();
});

test('one text is one named statement, and a value is never text', () => {
  const piece = (id: string) => sql`id = ${id}`;
  const query = (a: string, b: string) =>
    sql`select from t where ${piece(a)} or (${piece(b)} and x = ${null})`;
  const first = statement(query("'; drop table t", 'b'));
  assert.equal(first.text, 'select from t where id = $1 or (id = $2 and x = $3)');
  assert.deepEqual(first.values, ["'; drop table t", 'b', null]);
  assert.equal(statement(query('c', 'd')).name, first.name);
  assert.notEqual(statement(sql`select 1`).name, first.name);
});

test('the server works as a role that owns nothing', async () => {
  const [row] = await db.many<{ role: string; owned: bigint }>(sql`
    select current_user as role, (select count(*) from pg_class c join pg_roles r on r.oid = c.relowner
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

test('a transaction that throws leaves nothing behind', async () => {
  const insert = sql`insert into app_user (email) values ('rolled-back@example.com')`;
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.many(insert);
      throw new Error('no');
    }),
    /^Error: no$/,
  );
  assert.deepEqual(await db.many(sql`select id from app_user where email = 'rolled-back@example.com'`), []);
});

test('a deadlock is retried: both transactions are carried out', async () => {
  const [a, b] = await db.many<{ id: string }>(
    sql`insert into app_user (email) values ('a@x.com'), ('b@x.com') returning id`,
  );
  let attempts = 0;
  let met = 0;
  const gate = Promise.withResolvers<void>();
  const meet = () => {
    if (++met === 2) gate.resolve();
    return gate.promise;
  };
  const lockBoth = (first: string, second: string) =>
    db.transaction(async (tx) => {
      attempts++;
      await tx.many(sql`set local lock_timeout = '5s'`);
      await tx.many(sql`update app_user set name = coalesce(name, '') || 'x' where id = ${first}`);
      await meet();
      await tx.many(sql`update app_user set name = coalesce(name, '') || 'x' where id = ${second}`);
    });
  await Promise.all([lockBoth(a?.id as string, b?.id as string), lockBoth(b?.id as string, a?.id as string)]);
  assert.equal(attempts, 3);
  const names = await db.many(sql`select name from app_user where email in ('a@x.com', 'b@x.com')`);
  assert.deepEqual(names, [{ name: 'xx' }, { name: 'xx' }]);
});

test('a lock that is not had in time and a statement that takes too long are "unavailable", and harm nobody else', async () => {
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

test('a lost connection is "unavailable" in both lanes and in a transaction, and all recover by themselves', async () => {
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
