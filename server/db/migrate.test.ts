import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type pg from 'pg';
import { migrationsForTests } from '../testing/database/migrations.ts';
import { dumpSchema } from './dump-schema.ts';
import { migrate, pending } from './migrate.ts';

const { client, connect, release, emptyDatabase } = await migrationsForTests();

const HERE = import.meta.dirname;
/** The names of those of this release. */
const MIGRATIONS = readdir(join(HERE, 'migrations')).then((names) => names.sort());

const FIRST = 'create table first (id int);';
const SECOND = 'create table second (id int);';

/** The names of the tables, and of the migrations that are recorded. */
async function state(url: string): Promise<{ tables: string[]; recorded: string[] }> {
  const own = await connect(url);
  const tables = await own.query(
    "select relname from pg_class where relkind = 'r' and relnamespace = 2200 order by 1",
  );
  const recorded = await own.query('select name from schema_migration order by 1');
  return {
    tables: tables.rows.map((row) => row.relname),
    recorded: recorded.rows.map((row) => row.name),
  };
}

test('files are applied once, in order, and recorded', async () => {
  const url = await emptyDatabase();
  const files = await release({
    'migrations/0002-b.sql': 'alter table first add x int;',
    'migrations/0001-a.sql': FIRST,
    'migrations/notes.txt': '',
  });
  const own = await connect(url);
  assert.deepEqual(await pending(own, files), ['0001-a.sql', '0002-b.sql']);
  assert.deepEqual(await migrate(url, { directory: files }), {
    applied: ['0001-a.sql', '0002-b.sql'],
    current: '0002-b.sql',
  });
  assert.deepEqual(await migrate(url, { directory: files }), {
    applied: [],
    current: '0002-b.sql',
  });
  assert.deepEqual(await pending(own, files), []);
});

test('a file that fails changes nothing, and the error tells file, line and reason', async () => {
  const url = await emptyDatabase();
  const files = await release({
    'migrations/0001-a.sql': FIRST,
    'migrations/0002-b.sql': `${SECOND}\n-- a comment, ünd 🏰\nalter table first add\n  x nosuchtype;\n`,
  });
  const expected = /^Error: 0002-b\.sql, line 4: type "nosuchtype" does not exist$/;
  await assert.rejects(migrate(url, { directory: files }), expected);
  assert.deepEqual(await state(url), {
    tables: ['first', 'schema_migration'],
    recorded: ['0001-a.sql'],
  });

  await writeFile(join(files, 'migrations/0002-b.sql'), SECOND);
  assert.deepEqual((await migrate(url, { directory: files })).applied, ['0002-b.sql']);
});

test('a file that would end its own transaction is refused before anything runs', async () => {
  const url = await emptyDatabase();
  const files = await release({ 'migrations/0001-a.sql': `${FIRST}\ncommit;\n${SECOND}` });
  await assert.rejects(migrate(url, { directory: files }), /0001-a\.sql contains "commit;"/);
});

test('a file changed after it was applied is refused, whatever else there is to do', async () => {
  const url = await emptyDatabase();
  const files = await release({ 'migrations/0001-a.sql': FIRST });
  await migrate(url, { directory: files });
  await writeFile(join(files, 'migrations/0001-a.sql'), `${FIRST} -- better`);
  await writeFile(join(files, 'migrations/0002-b.sql'), SECOND);
  await assert.rejects(
    migrate(url, { directory: files }),
    /0001-a\.sql was changed after it had been applied/,
  );
  assert.deepEqual((await state(url)).recorded, ['0001-a.sql']);

  await writeFile(join(files, 'migrations/0001-a.sql'), FIRST.replaceAll('\n', '\r\n'));
  assert.deepEqual((await migrate(url, { directory: files })).applied, ['0002-b.sql']);
});

test('a database newer than this version, a number used twice and a late number are refused', async () => {
  const url = await emptyDatabase();
  await migrate(url, {
    directory: await release({ 'migrations/0001-a.sql': FIRST, 'migrations/0003-c.sql': SECOND }),
  });
  const older = await release({ 'migrations/0001-a.sql': FIRST });
  await assert.rejects(
    migrate(url, { directory: older }),
    /newer than this Guildhall: 0003-c\.sql/,
  );
  await assert.rejects(
    pending(await connect(url), older),
    /newer than this Guildhall: 0003-c\.sql/,
  );
  const late = await release({
    'migrations/0001-a.sql': FIRST,
    'migrations/0002-b.sql': 'select 1;',
    'migrations/0003-c.sql': SECOND,
  });
  await assert.rejects(migrate(url, { directory: late }), /0002-b\.sql comes before 0003-c\.sql/);
  const twice = await release({ 'migrations/0001-a.sql': FIRST, 'migrations/0001-b.sql': SECOND });
  await assert.rejects(
    migrate(url, { directory: twice }),
    /0001-a\.sql and 0001-b\.sql have the same number/,
  );
});

test('eight processes that migrate one database at once apply each file once', async () => {
  const url = await emptyDatabase();
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
  const { recorded } = await state(url);
  const applied = results.flatMap((result) => result.applied).sort();
  assert.deepEqual(
    applied.filter((name) => !name.startsWith('views/')),
    recorded,
  );
  assert.equal(new Set(applied).size, applied.length);
  assert.equal(new Set(results.map(({ current }) => current)).size, 1);
});

test('databases of one server migrated at once do not fail over the role they share', async () => {
  const urls: string[] = [];
  while (urls.length < 4) urls.push(await emptyDatabase());
  await Promise.all(urls.map((url) => migrate(url)));
});

/** The reverse of what a database of before is renamed by. */
const NAMED_BEFORE = `
  alter table task_turn rename published_at to told_at;
  alter index task_turn_unpublished rename to task_turn_untold;
  alter table artifact rename published_at to told_at;
  alter table pod_request rename to pod_wish;
  alter table pod_wish rename action to wish;
  alter table pod_wish rename constraint pod_request_action_check to pod_wish_wish_check;
  alter table pod_wish rename constraint pod_request_attempts_check to pod_wish_attempts_check;
  alter table pod_wish rename constraint pod_request_task_id_fkey to pod_wish_task_id_fkey;
  alter table pod_wish rename constraint pod_request_requested_by_user_id_fkey
    to pod_wish_requested_by_user_id_fkey;
  alter index pod_request_pkey rename to pod_wish_pkey;
  alter index pod_request_due rename to pod_wish_due;
  alter index pod_request_requested_by rename to pod_wish_requested_by`;

const VIEWS = readdir(join(HERE, 'views')).then((names) => names.map((name) => `views/${name}`));
/** What these are about came after version 0.1.0. */
const LATER =
  /webhook|\/(drop_service_mail|end_operator|end_service_account|end_service_grants|follow_task|note_mentions|project_person|refuse_deleted_person|when_to_tell)\.sql$/;
const isLater = (view: string): boolean => LATER.test(view);

/** As a database that was migrated before version 0.1.0, up to `last`. */
async function fromBefore(last: string): Promise<{ url: string; own: pg.Client }> {
  const url = await emptyDatabase();
  const [first = ''] = await MIGRATIONS;
  const views = (await VIEWS).filter((name) => !isLater(name));
  const before = [`migrations/${first}`, ...views];
  const texts = before.map(async (file) => [file, await readFile(join(HERE, file), 'utf8')]);
  await migrate(url, { directory: await release(Object.fromEntries(await Promise.all(texts))) });
  const own = await connect(url);
  await own.query(`
    ${NAMED_BEFORE};
    delete from schema_migration;
    insert into schema_migration (name, sha256) values ('0001-foundation.sql', 'a'), ('${last}', 'b');
    update schema_view set migration = '${last}';
    insert into app_user (email) values ('ada@example.com')`);
  return { url, own };
}

test('a database of before version 0.1.0 is taken over as it is, once', async () => {
  const fresh = await emptyDatabase();
  await migrate(fresh);
  const { url, own } = await fromBefore('0206-brief-answers-index.sql');
  const results = await Promise.all([migrate(url), migrate(url)]);
  const later = (await VIEWS).filter(isLater).sort();
  const applied = results.flatMap((each) => each.applied).sort();
  assert.deepEqual(applied, [...(await MIGRATIONS), ...later]);
  assert.deepEqual((await state(url)).recorded, await MIGRATIONS);
  assert.deepEqual(await pending(own), []);
  assert.equal(await dumpSchema(url), await dumpSchema(fresh));
  const { rows } = await own.query('select email from app_user');
  assert.deepEqual(rows, [{ email: 'ada@example.com' }]);
});

test('one that lacks migrations of before is refused, and nothing of it changes', async () => {
  const { url, own } = await fromBefore('0172-one-answer-for-names.sql');
  await assert.rejects(
    migrate(url),
    /before version 0\.1\.0, at 0172-.*Start it once with the last commit that has .*0206-/,
  );
  assert.deepEqual((await state(url)).recorded, [
    '0001-foundation.sql',
    '0172-one-answer-for-names.sql',
  ]);
  const { rows } = await own.query('select distinct migration from schema_view');
  assert.deepEqual(rows, [{ migration: '0172-one-answer-for-names.sql' }]);
});

test('the role of the server may read what was applied', async () => {
  await client.query('set role guildhall_app');
  assert.deepEqual(await pending(client), []);
  await client.query('reset role');
});
