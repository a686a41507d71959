import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { migrate, pending } from '../migrate.ts';

const { client, connect, release, emptyDatabase } = await migrationsForTests();

const TABLE = {
  'migrations/0001-a.sql': 'create table first (id int); insert into first values (1)',
};
const view = (columns: string) => `create or replace view a_list as select ${columns} from first;`;
const doubled = (factor: number) =>
  `create or replace function doubled(x int) returns int language sql return x * ${factor};`;
const ONE = {
  ...TABLE,
  'views/a_list.sql': view('id, doubled(id) as more'),
  'views/doubled.sql': doubled(2),
};
const TWO = { ...ONE, 'views/doubled.sql': doubled(3) };

const rowsOf = async (url: string) =>
  (await (await connect(url)).query('select * from a_list')).rows;

test('views and functions are applied after the migrations, functions first; later only what changed', async () => {
  const url = await emptyDatabase();
  const one = await release(ONE);
  assert.deepEqual(await pending(await connect(url), one), [
    '0001-a.sql',
    'views/doubled.sql',
    'views/a_list.sql',
  ]);
  assert.deepEqual((await migrate(url, { directory: one })).applied, [
    '0001-a.sql',
    'views/doubled.sql',
    'views/a_list.sql',
  ]);
  assert.deepEqual(await rowsOf(url), [{ id: 1, more: 2 }]);
  assert.deepEqual((await migrate(url, { directory: one })).applied, []);
  const two = await release(TWO);
  assert.deepEqual(await pending(await connect(url), two), ['views/doubled.sql']);
  assert.deepEqual((await migrate(url, { directory: two })).applied, ['views/doubled.sql']);
  assert.deepEqual(await rowsOf(url), [{ id: 1, more: 3 }]);
});

test('one that a migration dropped is made again', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(ONE) });
  const directory = await release({
    ...ONE,
    'migrations/0002-b.sql': 'drop view a_list; alter table first alter id type bigint',
    'views/a_list.sql': view('id, doubled(id::int) as more'),
  });
  await migrate(url, { directory });
  const dropping = {
    ...ONE,
    'migrations/0002-b.sql': 'drop view a_list',
    'migrations/0003-c.sql': '',
  };
  const other = await emptyDatabase();
  await migrate(other, { directory: await release(ONE) });
  assert.deepEqual((await migrate(other, { directory: await release(dropping) })).applied, [
    '0002-b.sql',
    '0003-c.sql',
    'views/a_list.sql',
  ]);
});

test('a view that fails: the error names file and line, and no view has changed', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(ONE) });
  const directory = await release({
    ...TWO,
    'views/a_list.sql': `-- a column that is gone\n${view('id')}`,
  });
  await assert.rejects(
    migrate(url, { directory }),
    /^Error: views\/a_list\.sql: cannot drop columns from view$/,
  );
  assert.deepEqual(await rowsOf(url), [{ id: 1, more: 2 }]);
});

test('a release whose text was replaced by a later one is refused; going back on purpose takes a migration', async () => {
  const url = await emptyDatabase();
  const one = await release(ONE);
  await migrate(url, { directory: one });
  await migrate(url, { directory: await release(TWO) });
  const newer =
    /newer than this Guildhall: a later text of views\/doubled\.sql was applied to it\.$/;
  await assert.rejects(migrate(url, { directory: one }), newer);
  assert.deepEqual(await rowsOf(url), [{ id: 1, more: 3 }]);
  const back = await release({ ...ONE, 'migrations/0002-back.sql': '-- doubled is 2 again' });
  assert.deepEqual((await migrate(url, { directory: back })).applied, [
    '0002-back.sql',
    'views/doubled.sql',
  ]);
  assert.deepEqual(await rowsOf(url), [{ id: 1, more: 2 }]);
});

test('a file that makes another thing than its name says is refused', async () => {
  const url = await emptyDatabase();
  for (const text of ['create view a_list as select 1', view('id').replace('a_list', 'b_list'), ''])
    await assert.rejects(
      migrate(url, { directory: await release({ ...TABLE, 'views/a_list.sql': text }) }),
      /views\/a_list\.sql must contain "create or replace"/,
    );
});

test('what the last release asks of a view goes on without one error while the view changes under it', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(ONE) });
  let asking = true;
  const asked = Array.from({ length: 4 }, async () => {
    const server = await connect(url);
    await server.query('set plan_cache_mode = force_generic_plan');
    let count = 0;
    for (; asking; count++) {
      const { rows } = await server.query({ name: 'q', text: 'select id, more from a_list' });
      assert.equal(rows[0].id, 1);
    }
    return count;
  });
  for (let i = 0; i < 10; i++)
    await migrate(url, {
      directory: await release({
        ...ONE,
        'views/a_list.sql': `-- ${i}\n${view("id, doubled(id) as more, 'new' as added")}`,
        'views/doubled.sql': doubled(10 + i),
      }),
    });
  asking = false;
  for (const count of await Promise.all(asked)) assert.ok(count > 10);
});

// What an index or a check uses is defined by migrations alone: a new text would contradict rows
// that are there.
test('every view and function of the schema has its file, whose last text is applied', async () => {
  const { rows } = await client.query(`
    select name::text from (
      select oid, relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
      union all
      select oid, proname from pg_proc where pronamespace = 'public'::regnamespace) made
     where not exists (select from pg_depend where objid = made.oid and deptype = 'e')
       and not exists (select from pg_depend
                        where refobjid = made.oid
                          and classid in ('pg_class'::regclass, 'pg_constraint'::regclass))
     order by name collate "C"`);
  const files = (await readdir(join(import.meta.dirname, '../views'))).sort();
  assert.deepEqual(
    rows.map(({ name }) => `${name}.sql`),
    files,
  );
  assert.deepEqual(await pending(client), []);
});
