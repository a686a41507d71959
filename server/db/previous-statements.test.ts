import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../testing/database/database.ts';
import { asServer, broken, readStatements } from '../testing/database/previous.ts';

/**
 * Servers of the last release go on while a new one migrates (docs/operations/upgrade.md): what
 * they ask must mean the same on the schema of all migrations. A change that takes something away
 * waits until no one asks for it.
 */

const clone = await cloneDatabase();
const server = await asServer(clone.url);
const owner = new pg.Client({
  connectionString: clone.url,
  options: '-c plan_cache_mode=force_generic_plan -c timezone=UTC',
});
await owner.connect();
after(async () => {
  await server.end();
  await owner.end();
  await clone.drop();
});
const { rows } = await owner.query(
  "select current_setting('server_version_num')::int / 10000 as major",
);
// PostgreSQL 15 does not show the result types of a prepared statement.
const statements = (await readStatements()).map((each) =>
  rows[0].major < 16 ? { ...each, results: [] } : each,
);

test('every statement of the last release runs on the newest schema, with the same types and rights', async () => {
  await server.query('begin');
  assert.ok(statements.length > 80, `${statements.length} statements`);
  assert.deepEqual(await broken(server, statements), []);
  await server.query('rollback');
});

for (const [what, change] of Object.entries({
  'a renamed column': 'alter table team rename can_merge_staging to may_merge_staging',
  'a column of another type': 'alter table sandbox_refund alter amount type numeric',
  'a new column that must be given': 'alter table sandbox_refund add reason text not null',
  'a right that is gone': 'revoke update on team from guildhall_app',
  'a table that is gone': 'drop table hourly_work',
}))
  test(`found: ${what}`, async () => {
    await owner.query(`begin; ${change}; set local role guildhall_app`);
    const found = await broken(owner, statements);
    await owner.query('rollback');
    assert.ok(found.length > 0);
    assert.ok(found.length < statements.length / 2, found.join('\n'));
  });
