import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { createKey } from '../server/identity/keys/keys.ts';
import { deactivateUser } from '../server/identity/users/users.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall users`, beside a running server. */

const { db, fixtures, databaseUrl, url } = await startHarness();
const env = { DATABASE_URL: databaseUrl };

const users = (...args: string[]) => jsonOf(['users', ...args], { env });
const account = (key: string) =>
  fetch(`${url}/api/account`, { headers: { authorization: `Bearer ${key}` } });
const trail = async (id: string): Promise<string[]> =>
  (
    await db.many<{ action: string }>(
      sql`select action from audit_event where target_id = ${id} order by occurred_at`,
    )
  ).map(({ action }) => action);

test('a user who is created gets a key, and is shown by the API', async () => {
  const made = await users('create', '--email', ' Ada@EXAMPLE.org ', '--name', ' Ada ');
  assert.deepEqual(Object.keys(made), [
    'id',
    'email',
    'name',
    'is_active',
    'two_factor_enabled',
    'created_at',
  ]);
  assert.deepEqual([made.email, made.name, made.is_active], ['Ada@example.org', 'Ada', true]);
  assert.deepEqual(await trail(made.id), ['user.create']);
  const { key } = await jsonOf(['keys', 'create', '--email', made.email, '--name', 'k'], { env });
  const shown = (await (await account(key)).json()) as Record<string, unknown>;
  assert.deepEqual([shown.id, shown.name], [made.id, 'Ada']);
});

test('of two users with one address, created at once, one is made', async () => {
  const create = (email: string) =>
    runCommand(['users', 'create', '--email', email, '--name', 'Eve'], { env });
  const both = await Promise.all([create('eve@example.org'), create('EVE@example.org')]);
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1]);
  const refused = both.find(({ code }) => code === 1);
  assert.match(refused?.err ?? '', /^A user already has the email address eve@example\.org/i);
  assert.equal((await users('list', '--q', 'eve@example.org')).users.length, 1);
});

test('a list is by address, in pages; --q looks in address and name and takes % for itself', async () => {
  for (const name of ['Zoe 100%', 'Zoe 100x', 'Zed'])
    await fixtures.user({ email: `${name.replaceAll(/\W/g, '').toLowerCase()}@q.example`, name });
  const page = await users('list', '--q', 'Q.EXAMPLE', '--limit', '2');
  const emails = ({ users }: { users: { email: string }[] }) => users.map(({ email }) => email);
  assert.deepEqual(emails(page), ['zed@q.example', 'zoe100@q.example']);
  assert.equal(page.next, 'zoe100@q.example');
  const rest = await users('list', '--q', 'q.example', '--after', page.next);
  assert.deepEqual([emails(rest), rest.next], [['zoe100x@q.example'], undefined]);
  assert.deepEqual(emails(await users('list', '--q', '100%')), ['zoe100@q.example']);
  const { out } = await runCommand(['users', 'list', '--q', 'q.example', '--limit', '1'], { env });
  assert.match(out, /^ID +EMAIL +NAME +STATE +CREATED \(UTC\)$/m);
  assert.match(out, /zed@q\.example +Zed +active +2/);
  assert.match(out, /More follow: add --after zed@q\.example\n$/);
});

test('deactivation ends keys and sessions with the next request, and lists what the user owns', async () => {
  const user = await fixtures.user();
  const own = await fixtures.workspace(user, { name: 'Own' });
  await fixtures.member(await fixtures.workspace(await fixtures.user()), user, 'admin');
  await db.many(sql`
    insert into session (user_id, token_hash, pending, expires_at)
    values (${user.id}, sha256(${user.id}::bytea), false, now() + interval '1 day')`);
  // The server knows the key by now.
  for (let i = 0; i < 3; i++) assert.equal((await account(user.key)).status, 200);
  const done = await users('deactivate', user.email.toUpperCase());
  assert.equal((await account(user.key)).status, 401);
  assert.deepEqual([done.id, done.is_active, done.changed], [user.id, false, true]);
  assert.deepEqual([done.keys_revoked, done.sessions_ended], [1, 1]);
  assert.deepEqual(done.owned_workspaces, [{ id: own, name: 'Own' }]);

  const { out } = await runCommand(['users', 'deactivate', user.id], { env });
  assert.match(out, /is deactivated already\./);
  assert.match(out, new RegExp(`^ {2}${own} {2}Own$`, 'm'));
  assert.deepEqual(await trail(user.id), ['user.deactivate']);
});

test('an activated user needs a new key: the former ones stay revoked', async () => {
  const user = await fixtures.user();
  await users('deactivate', user.id);
  const { changed, is_active } = await users('activate', user.email);
  assert.deepEqual([changed, is_active], [true, true]);
  assert.equal((await account(user.key)).status, 401);
  const { key } = await jsonOf(['keys', 'create', '--email', user.email, '--name', 'k'], { env });
  assert.equal((await account(key)).status, 200);
  const { out } = await runCommand(['users', 'activate', user.id], { env });
  assert.match(out, /is active already\.$/m);
  assert.deepEqual(await trail(user.id), ['user.deactivate', 'user.activate']);
});

test('a key that is created while its user is deactivated is refused or revoked', async () => {
  for (let round = 0; round < 40; round++) {
    const user = await fixtures.user();
    await Promise.all([
      db.transaction((tx) => createKey(tx, { email: user.email, name: 'late' })),
      db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    ]);
    const [left] = await db.many(
      sql`select id from api_key where user_id = ${user.id} and revoked_at is null`,
    );
    assert.equal(left, undefined, 'a key outlives the deactivation of its user');
  }
});

const everything = () =>
  db.many(sql`
    select (select count(*) from app_user) as users,
           (select count(*) from app_user where is_active) as active,
           (select count(*) from audit_event) as audit`);

/** Runs a command that must be refused, and asserts that nothing changed. */
async function refused(args: string[], status: number, reason: RegExp): Promise<void> {
  const before = await everything();
  const { code, out, err } = await runCommand(['users', ...args], { env });
  assert.deepEqual({ code, out }, { code: status, out: '' });
  assert.match(err, reason);
  assert.deepEqual(await everything(), before);
}

test('an address that is taken, and users who do not exist, are sentences and status 1', async () => {
  const { email } = await fixtures.user();
  await refused(['create', '--email', email, '--name', 'X'], 1, /already has the email address/);
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const command of ['deactivate', 'activate']) {
    await refused([command, 'no@x.yz'], 1, /^No user has the email address no@x\.yz: `users list`/);
    await refused([command, unknown], 1, /^No user has the id 0{8}-/);
  }
});

test('wrong arguments are sentences and status 2', async () => {
  const create = (email: string, name: string) => ['create', '--email', email, '--name', name];
  await refused(create('ada', 'Ada'), 2, /email address/);
  await refused(create('ada@x.yz', ' '), 2, /at least 1 character/);
  await refused(create('ada@x.yz', 'a\u200bb'), 2, /U\+200B/);
  await refused(['create', '--email', 'ada@x.yz'], 2, /--name/);
  await refused(['list', '--limit', '0'], 2, /from 1 to 1000/);
  await refused(['deactivate'], 2, /missing required argument/i);
});
