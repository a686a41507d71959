import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall export` and `import --existing-users`, in processes of their own. */

const DEMO = join(import.meta.dirname, '../demo/world.json');
const [from, to] = [await cloneDatabase(), await cloneDatabase()];
const db = openDatabase({ url: from.url });
const directory = await mkdtemp(join(tmpdir(), 'guildhall-export-'));
after(async () => {
  await db.close();
  await from.drop();
  await to.drop();
  await rm(directory, { recursive: true });
});
const env = { DATABASE_URL: from.url };
const { organizations } = await jsonOf(['import', DEMO], { env });

test('a workspace goes to a file that only its owner can read, and from there into another database', async () => {
  const file = join(directory, 'acme.json');
  const { code, out, err } = await runCommand(['export', organizations.acme, '--output', file], {
    env,
  });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /acme\.json has \d+ bytes\.\n$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(directory), ['acme.json']);
  const made = await jsonOf(['import', file], { env: { DATABASE_URL: to.url } });
  assert.deepEqual(Object.keys(made.organizations), [organizations.acme]);
  const row = await db.one(sql`
    select actor_user_id, organization_id, request_id from audit_event
     where action = 'workspace.export'`);
  assert.deepEqual(row, {
    actor_user_id: null,
    organization_id: organizations.acme,
    request_id: 'cli',
  });
});

test('an import beside the users it names says which exist, and with match makes a second workspace of theirs', async () => {
  const { out: input } = await runCommand(['export', organizations.acme], { env });
  const refused = await runCommand(['import', '-'], { env, input });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /already exists in the database/);
  const made = await jsonOf(['import', '-', '--existing-users', 'match'], { env, input });
  assert.notEqual(made.organizations[organizations.acme], organizations.acme);
  for (const [handle, { id }] of Object.entries<{ id: string }>(made.users))
    assert.equal(id, handle);
});

test('what is no id, no workspace or no place to write is refused in a sentence, and leaves no file', async () => {
  const before = await readdir(directory);
  for (const [args, message] of [
    [['export', 'acme'], /^acme is not the id of a workspace/],
    [['export', randomUUID()], /^There is no workspace /],
    [['export', organizations.acme, '--output', '/nowhere/x.json'], /cannot be written \(ENOENT\)/],
  ] as const) {
    const { code, out, err } = await runCommand([...args], { env });
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, message);
  }
  assert.deepEqual(await readdir(directory), before);
});

test('an existing file is replaced only by a complete one', async () => {
  const file = join(directory, 'kept.json');
  await writeFile(file, 'old');
  await runCommand(['export', randomUUID(), '--output', file], { env });
  assert.equal(await readFile(file, 'utf8'), 'old');
  await runCommand(['export', organizations.acme, '--output', file], { env });
  assert.equal(JSON.parse(await readFile(file, 'utf8')).version, 1);
});
