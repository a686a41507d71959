import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { contentOf } from './content.ts';
import { cloneDatabase } from './database.ts';

test('a row that is written to any table changes the digest of that table', async () => {
  const { url, drop } = await cloneDatabase();
  const client = new pg.Client(url);
  await client.connect();
  const content = contentOf(url);
  try {
    await client.query(TAKE_ANY_ROW);
    const before = await content.digest();
    const tables = Object.keys(before);
    assert.ok(tables.length > 80, 'all tables');
    for (const table of tables)
      await client.query(`insert into ${client.escapeIdentifier(table)} default values`);
    const after = await content.digest();
    assert.deepEqual(
      tables.filter((table) => after[table] === before[table]),
      [],
    );
    assert.deepEqual(await content.digest(), after);
  } finally {
    await content.close();
    await client.end();
    await drop();
  }
});

/** Removes what would refuse an empty row: constraints, triggers and `not null`. */
const TAKE_ANY_ROW = `
  set session_replication_role = replica;
  do $$
  declare found record;
  begin
    for found in
      select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as text
        from pg_constraint
       where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid <> 0
    loop execute found.text; end loop;
    for found in
      select format('alter table %I.%I alter column %I drop not null', table_schema, table_name, column_name)
               as text
        from information_schema.columns
        join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and table_type = 'BASE TABLE'
         and columns.is_nullable = 'NO' and columns.is_identity = 'NO'
    loop execute found.text; end loop;
  end $$`;
