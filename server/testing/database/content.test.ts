import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { contentOf } from './content.ts';
import { cloneDatabase } from './database.ts';

test('a row that is inserted, updated or deleted in any table changes the digest of that table', async () => {
  const { url, drop } = await cloneDatabase();
  const client = new pg.Client(url);
  await client.connect();
  const content = contentOf(url);
  try {
    await client.query(TAKE_ANY_WRITE);
    const tables = Object.keys(await content.digest());
    assert.ok(tables.length > 80, 'all tables');
    for (const write of [
      (table: string) => `insert into ${table} default values`,
      (table: string) => `update ${table} set touched = true`,
      (table: string) => `delete from ${table}`,
    ]) {
      const before = await content.digest();
      for (const table of tables) await client.query(write(client.escapeIdentifier(table)));
      const after = await content.digest();
      assert.deepEqual(
        tables.filter((table) => after[table] === before[table]),
        [],
      );
      assert.deepEqual(await content.digest(), after);
    }
  } finally {
    await content.close();
    await client.end();
    await drop();
  }
});

/** Removes what would refuse an empty row, and adds a column that any row can be updated in. */
const TAKE_ANY_WRITE = `
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
    for found in
      select format('alter table %I.%I add column touched boolean', table_schema, table_name) as text
        from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'
    loop execute found.text; end loop;
  end $$`;
