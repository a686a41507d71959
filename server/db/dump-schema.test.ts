import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../testing/database/database.ts';
import { dumpSchema, SCHEMA_FILE } from './dump-schema.ts';

const clone = await cloneDatabase();
const client = new pg.Client(clone.url);
await client.connect();
after(async () => {
  await client.end();
  await clone.drop();
});

test('schema.sql is what the migrations make', async (t) => {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  if (rows[0].major !== 18)
    return t.skip('dumped by PostgreSQL 18, whose words differ from other versions');
  const written = await readFile(SCHEMA_FILE, 'utf8');
  assert.ok(
    (await dumpSchema(clone.url)) === written,
    'server/db/schema.sql is stale: run `npm run schema`',
  );
});
