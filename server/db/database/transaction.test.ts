import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cloneDatabase } from '../../testing/database/database.ts';
import { sql } from '../sql.ts';
import { DatabaseUnavailable, openDatabase } from './database.ts';

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
after(async () => {
  await db.close();
  await clone.drop();
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
  assert.deepEqual(
    await db.many(sql`select id from app_user where email = 'rolled-back@example.com'`),
    [],
  );
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
  const survived = Promise.withResolvers<void>();
  const lockBoth = async (first: string, second: string) => {
    await db.transaction(async (tx) => {
      // The one that PostgreSQL has ended may be back before the other wakes up, and would take the
      // row that it waits for.
      if (++attempts > 2) await survived.promise;
      await tx.many(sql`set local lock_timeout = '5s'`);
      await tx.many(sql`update app_user set name = coalesce(name, '') || 'x' where id = ${first}`);
      await meet();
      await tx.many(sql`update app_user set name = coalesce(name, '') || 'x' where id = ${second}`);
    });
    survived.resolve();
  };
  await Promise.all([
    lockBoth(a?.id as string, b?.id as string),
    lockBoth(b?.id as string, a?.id as string),
  ]);
  assert.equal(attempts, 3);
  const names = await db.many(sql`select name from app_user where email in ('a@x.com', 'b@x.com')`);
  assert.deepEqual(names, [{ name: 'xx' }, { name: 'xx' }]);
});

test('a serialization failure is retried, and the work is there once; one that does not end is "unavailable"', async () => {
  const [user] = await db.many<{ id: string }>(
    sql`insert into app_user (email, name) values ('serial@x.com', 'n') returning id`,
  );
  const append = (letter: string) =>
    sql`update app_user set name = name || ${letter} where id = ${user?.id}`;
  let attempts = 0;
  const conflicting = (conflicts: number) =>
    db.transaction(async (tx) => {
      await tx.many(sql`set transaction isolation level repeatable read`);
      await tx.many(sql`select name from app_user where id = ${user?.id}`);
      if (attempts++ < conflicts) await db.many(append('.'));
      await tx.many(append('x'));
    });
  await conflicting(2);
  assert.equal(attempts, 3);
  const name = () => db.one(sql`select name from app_user where id = ${user?.id}`);
  assert.deepEqual(await name(), { name: 'n..x' });
  attempts = 0;
  await assert.rejects(conflicting(99), DatabaseUnavailable);
  assert.equal(attempts, 4);
  assert.deepEqual(await name(), { name: 'n..x....' });
});

test('a transaction that went on after a statement failed is not taken for done', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.many(sql`insert into app_user (email) values ('swallowed@x.com')`);
      await tx.many(sql`select 1 / 0`).catch(() => {});
    }),
    /^Error: rolled back/,
  );
  assert.deepEqual(await db.many(sql`select id from app_user where email = 'swallowed@x.com'`), []);
});
