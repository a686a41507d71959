import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall import`, in processes of its own, and the audit of what it wrote. */

const DEMO = join(import.meta.dirname, '../demo/world.json');
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const env = { DATABASE_URL: clone.url };
const directory = await mkdtemp(join(tmpdir(), 'guildhall-import-'));
after(async () => {
  await db.close();
  await clone.drop();
  await rm(directory, { recursive: true });
});

test('import prints one JSON object of ids, from a file and from standard input', async () => {
  const file = join(directory, 'one.json');
  await writeFile(
    file,
    `\uFEFF${JSON.stringify({ users: [{ handle: 'x', email: 'one@x.com' }] })}`,
  );
  const fromFile = await runCommand(['import', file], { env });
  assert.deepEqual([fromFile.code, fromFile.err], [0, '']);
  assert.match(JSON.parse(fromFile.out).users.x.id, UUID);
  const input = JSON.stringify({ users: [{ handle: 'y', email: 'two@x.com' }] });
  const { users } = await jsonOf(['import', '-'], { env, input });
  assert.deepEqual(Object.keys(users), ['y']);
});

test('a file that is too large to be read is refused with what to do, not with a code', async () => {
  const file = join(directory, 'huge.json');
  await writeFile(file, '');
  await truncate(file, 600 * 1024 * 1024); // sparse: it takes no place on the disk
  const { code, out, err } = await runCommand(['import', file], { env });
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /huge\.json has more than 511 MiB, .*: leave out tasks/);
  await rm(file);
});

const rows = async () =>
  (
    await db.one<{ rows: bigint }>(sql`
    select (select count(*) from app_user) + (select count(*) from project)
           + (select count(*) from audit_event) as rows`)
  ).rows;

test('a file with one mistake imports nothing and names the JSON pointer', async () => {
  const world = JSON.parse(await readFile(DEMO, 'utf8'));
  world.organizations[1].members[2].user = 'nobody';
  const before = await rows();
  const { code, out, err } = await runCommand(['import', '-'], {
    env,
    input: JSON.stringify(world),
  });
  assert.deepEqual({ code, out }, { code: 1, out: '' });
  assert.match(
    err,
    /nothing was imported:\n {2}\/organizations\/1\/members\/2\/user: "nobody" is not a user/,
  );
  assert.equal(await rows(), before);
});

test('a file that is not there or not JSON is refused in a sentence', async () => {
  assert.match(
    (await runCommand(['import', '/nowhere.json'], { env })).err,
    /^\/nowhere\.json cannot be read \(ENOENT\)/,
  );
  const { code, err } = await runCommand(['import', '-', '--json'], { env, input: '{"users":' });
  assert.equal(code, 1);
  assert.match(JSON.parse(err).error, /^Standard input is not JSON/);
});

test('audit ledger exits with 1 and says where when a balance was changed by hand', async () => {
  await runCommand(['import', DEMO], { env });
  const client = new pg.Client(clone.url);
  await client.connect();
  const change =
    "update billing_account set balance = balance + 1 where kind = 'workspace' and balance = " +
    '120000000';
  await client.query(`set session_replication_role = replica; ${change}`);
  await client.end();
  const { code, out } = await runCommand(['audit', 'ledger'], { env });
  assert.equal(code, 1);
  assert.match(out, /balance_is_sum: account [0-9a-f-]{36}: the balance is 120\.000001 USD/);
});
