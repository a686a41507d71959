import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrationsForTests } from '../../testing/database/migrations.ts';
import { migrate } from '../migrate.ts';

const { connect, release, emptyDatabase } = await migrationsForTests();

const FIRST = {
  'migrations/0001-a.sql': 'create table first (id int); insert into first values (1), (1), (2)',
};
const HEADER = '-- run outside a transaction\n';
const INDEXES = {
  ...FIRST,
  'migrations/0002-b.sql': `${HEADER}-- for the list; and so on
create index concurrently first_id on first (id);
create unique index concurrently first_ctid on first ((id + 0)) where id > 1;
drop index concurrently if exists first_old;\n`,
};

async function database() {
  const url = await emptyDatabase();
  await migrate(url, { directory: await release(FIRST) });
  const client = await connect(url);
  const indexes = async () =>
    (
      await client.query(`
        select indexrelid::regclass::text as name, indisvalid as valid from pg_index
         where indrelid = 'first'::regclass order by 1`)
    ).rows.map(({ name, valid }) => `${name}${valid ? '' : ' (invalid)'}`);
  const recorded = async () =>
    (await client.query('select name from schema_migration')).rows.map(({ name }) => name);
  return { url, client, indexes, recorded };
}

/** Ends the session that builds an index, once it waits for another transaction. */
async function killBuilder(client: Awaited<ReturnType<typeof connect>>): Promise<void> {
  const building =
    "select pg_terminate_backend(pid) from pg_stat_progress_create_index where phase ~ 'waiting'";
  while ((await client.query(building)).rowCount === 0) await pause(20);
}

test('indexes are built while others write, and recorded', async () => {
  const { url, indexes, recorded } = await database();
  const writer = await connect(url);
  let writing = true;
  const written = (async () => {
    let count = 0;
    for (; writing; count++) await writer.query('insert into first values (0)');
    return count;
  })();
  const { applied } = await migrate(url, { directory: await release(INDEXES) });
  writing = false;
  assert.deepEqual(applied, ['0002-b.sql']);
  assert.ok((await written) > 0);
  assert.deepEqual(await indexes(), ['first_ctid', 'first_id']);
  assert.deepEqual(await recorded(), ['0001-a.sql', '0002-b.sql']);
});

test('eight processes at once: each index is built once, and no process waits forever', async () => {
  const { url, indexes } = await database();
  const options = { directory: await release(INDEXES), lockTimeout: 60_000, attempts: 1 };
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url, options)));
  assert.deepEqual(
    results.flatMap(({ applied }) => applied),
    ['0002-b.sql'],
  );
  assert.deepEqual(await indexes(), ['first_ctid', 'first_id']);
});

test('a statement that fails: the error names file and line, no invalid index stays, and what was built before is not built again', async () => {
  const { url, client, indexes, recorded } = await database();
  const directory = await release({
    ...FIRST,
    'migrations/0002-b.sql': `${HEADER}
create index concurrently first_id on first (id);

create unique index concurrently first_unique on first (id);`,
  });
  await assert.rejects(
    migrate(url, { directory }),
    /^Error: 0002-b\.sql, line 5: could not create unique index "first_unique"$/,
  );
  assert.deepEqual(await indexes(), ['first_id']);
  assert.deepEqual(await recorded(), ['0001-a.sql']);
  const oid = "select 'first_id'::regclass::oid as oid";
  const { rows } = await client.query(oid);
  await client.query('delete from first where id = 1');
  assert.deepEqual((await migrate(url, { directory })).applied, ['0002-b.sql']);
  assert.deepEqual(await indexes(), ['first_id', 'first_unique']);
  assert.deepEqual((await client.query(oid)).rows, rows);
});

test('an index that a killed session left invalid is dropped and built again by the next start', async () => {
  const { url, client, indexes, recorded } = await database();
  const directory = await release(INDEXES);
  const holder = await connect(url);
  await holder.query('begin; insert into first values (3)');
  const lost = assert.rejects(migrate(url, { directory }), /^Error: 0002-b\.sql, line 3: /);
  await killBuilder(client);
  await lost;
  assert.deepEqual(await indexes(), ['first_id (invalid)']);
  assert.deepEqual(await recorded(), ['0001-a.sql']);
  await holder.query('commit');
  assert.deepEqual((await migrate(url, { directory })).applied, ['0002-b.sql']);
  assert.deepEqual(await indexes(), ['first_ctid', 'first_id']);
});

test('a statement that could not be run again is refused before anything is applied', async () => {
  const { url, recorded } = await database();
  for (const [statement, line] of [
    ['create table second (id int)', 3],
    ['create index first_id on first (id)', 3],
    ['create index concurrently on first (id)', 3],
    ['drop index concurrently first_id', 3],
  ]) {
    const directory = await release({
      ...FIRST,
      'migrations/0002-b.sql': 'create table before (id int)',
      'migrations/0003-c.sql': `${HEADER}-- why\n${statement};`,
    });
    await assert.rejects(
      migrate(url, { directory }),
      new RegExp(`^Error: 0003-c\\.sql, line ${line}: outside a transaction only`),
    );
  }
  assert.deepEqual(await recorded(), ['0001-a.sql']);
});
