import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { migrate } from '../migrate.ts';

const { connect, release, emptyDatabase } = await migrationsForTests();

const FIRST = {
  'migrations/0001-a.sql': 'create table first (id int); insert into first values (1)',
};
const ADD = { ...FIRST, 'migrations/0002-b.sql': 'alter table first add x int' };

/**
 * A database with the first migration, and a transaction of another client that has read its table.
 */
async function busyDatabase() {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(FIRST) });
  const holder = await connect(url);
  await holder.query("set application_name = 'a report'; begin; select from first");
  return { url, holder, other: await connect(url) };
}

const columns =
  "select attname from pg_attribute where attrelid = 'first'::regclass and attnum > 0";

test('a migration that waits for a lock lets the requests behind it pass, and is applied when the lock is free', async () => {
  const { url, holder, other } = await busyDatabase();
  const waits: string[] = [];
  const directory = await release(ADD);
  const migrating = migrate(url, { directory, lockTimeout: 200, log: (line) => waits.push(line) });
  let longest = 0;
  for (let began = performance.now(); performance.now() - began < 1_500; await pause(10)) {
    const asked = performance.now();
    await other.query('select from first');
    longest = Math.max(longest, performance.now() - asked);
  }
  assert.ok(longest > 50, 'the migration never waited');
  assert.ok(longest < 1_000, `a request waited ${longest} ms`);
  await holder.query('commit');
  assert.deepEqual((await migrating).applied, ['0002-b.sql']);
  assert.ok(waits.length > 1);
  assert.match(waits[0] as string, /^0002-b\.sql did not get a lock within 0\.2 s/);
});

test('a lock that never comes: a sentence says who is in the way, nothing was applied, and the next start may try again', async () => {
  const { url, holder, other } = await busyDatabase();
  const directory = await release(ADD);
  const { rows } = await holder.query('select pg_backend_pid() as pid');
  await assert.rejects(
    migrate(url, { directory, lockTimeout: 50, attempts: 3 }),
    new RegExp(
      `^Error: 0002-b\\.sql did not get a lock within 0\\.05 s, 3 times in a row\\. The oldest transaction here, of process ` +
        `${rows[0].pid} \\(login \\w+, a report\\), began \\d+ s ago\\. Nothing of this file was applied`,
    ),
  );
  assert.deepEqual((await other.query(columns)).rows, [{ attname: 'id' }]);
  await holder.query('commit');
  assert.deepEqual((await migrate(url, { directory })).applied, ['0002-b.sql']);
});

test('a process whose connection is lost while it migrates keeps no lock: another one goes on', async () => {
  const { url, holder, other } = await busyDatabase();
  const directory = await release(ADD);
  const lost = assert.rejects(migrate(url, { directory, lockTimeout: 10_000 }));
  const waiting =
    "from pg_stat_activity where application_name = 'guildhall migrate' and wait_event_type = " +
    "'Lock'";
  for (;;) {
    const { rowCount } = await other.query(`select pg_terminate_backend(pid) ${waiting}`);
    if (rowCount === 1) break;
    await pause(20);
  }
  await lost;
  await holder.query('commit');
  assert.deepEqual((await migrate(url, { directory })).applied, ['0002-b.sql']);
});

test('a constraint that is added not valid and validated in the next file: writes go on during the validation', async () => {
  const { url, holder, other } = await busyDatabase();
  await holder.query('commit');
  const added = {
    ...FIRST,
    'migrations/0002-b.sql': 'alter table first add constraint positive check (id > 0) not valid',
  };
  await migrate(url, { directory: await release(added) });
  // From here on the constraint holds for new rows. A transaction with new rows stays open while
  // the old ones are checked.
  await assert.rejects(other.query('insert into first values (0)'), /positive/);
  await holder.query('begin; insert into first values (2)');
  const validated = {
    ...added,
    'migrations/0003-c.sql': 'alter table first validate constraint positive',
  };
  const options = { directory: await release(validated), lockTimeout: 100, attempts: 1 };
  assert.deepEqual((await migrate(url, options)).applied, ['0003-c.sql']);
  await holder.query('commit');
  const valid = "select convalidated from pg_constraint where conname = 'positive'";
  assert.deepEqual((await other.query(valid)).rows, [{ convalidated: true }]);
});
