import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall keys`, beside a running server. */

const { db, fixtures, databaseUrl, url } = await startHarness();
const env = { DATABASE_URL: databaseUrl };

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const create = (email: string, ...more: string[]) => [
  'keys',
  'create',
  '--email',
  email,
  '--name',
  'laptop',
  ...more,
];

test('a key that is created opens the running server until it is revoked', async () => {
  const { email } = await fixtures.user();
  const made = await jsonOf(
    ['keys', 'create', '--email', email.toUpperCase(), '--name', ' night job ', '--expires', '90d'],
    { env },
  );
  assert.deepEqual(Object.keys(made), ['id', 'key', 'email', 'name', 'expires_at']);
  const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90);
  const ask = () =>
    fetch(`${url}/api/projects/${made.id}/people`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
  assert.equal((await ask()).status, 404);

  const [listed] = await jsonOf(['keys', 'list', '--email', email], { env });
  assert.deepEqual([listed.id, listed.name, listed.email], [made.id, 'night job', email]);
  assert.ok(!JSON.stringify(listed).includes(made.key));

  assert.deepEqual(await jsonOf(['keys', 'revoke', made.id], { env }), {
    id: made.id,
    revoked: true,
  });
  assert.equal((await ask()).status, 401);
  const again = await runCommand(['keys', 'revoke', made.id], { env });
  assert.equal(again.code, 1);
  assert.match(again.err, /unknown, or has already been revoked/);
});

test('a list says of each key whether it was ever used, and when it ended', async () => {
  const [{ email }, gone] = [await fixtures.user(), await fixtures.user()];
  for (const name of ['never', 'used', 'revoked', 'expired'])
    await db.many(sql`
      insert into api_key (user_id, name, secret_hash, last_used_at, revoked_at, expires_at,
        created_at)
      select u.id, ${name}, sha256(${`${name}${email}`}::bytea),
             case when ${name} <> 'never' then timestamptz '2026-01-02 03:04:05Z' end,
             case when ${name} = 'revoked' then timestamptz '2026-02-03 04:05:06Z' end,
             case when ${name} in ('expired', 'revoked')
               then timestamptz '2026-03-04 05:06:07Z' end,
             timestamptz '2026-01-01 00:00:00Z'
        from app_user u where u.email = ${email}`);
  await db.many(sql`update app_user set is_active = false where id = ${gone.id}`);

  const { out } = await runCommand(['keys', 'list', '--email', email], { env });
  assert.match(out, /^ID +EMAIL +NAME +STATE +CREATED \(UTC\) +EXPIRES$/m);
  const line = (name: string, state: string, expires: string) =>
    assert.match(
      out,
      new RegExp(`^\\S+ +${email} +${name} +${state} +2026-01-01 00:00 +${expires}$`, 'm'),
    );
  line('never', 'never used', '-');
  line('used', 'last used 2026-01-02 03:04', '-');
  line('revoked', 'revoked 2026-02-03 04:05', '2026-03-04 05:06');
  line('expired', 'expired 2026-03-04 05:06', '2026-03-04 05:06');
  const other = await runCommand(['keys', 'list', '--email', gone.email], { env });
  assert.match(other.out, / test +user deactivated +2/);

  const listed: { name: string; state: string }[] = await jsonOf(
    ['keys', 'list', '--email', email],
    { env },
  );
  const states = listed.map(({ name, state }) => [name, state]);
  assert.deepEqual(Object.fromEntries(states), {
    test: 'never_used',
    never: 'never_used',
    used: 'used',
    revoked: 'revoked',
    expired: 'expired',
  });
  const [key] = await jsonOf(['keys', 'list', '--email', gone.email], { env });
  assert.deepEqual(Object.keys(key), ['id', 'email', 'name', 'state', 'created_at']);
  assert.equal(key.state, 'user_deactivated');
});

const everything = () =>
  db.many(sql`
    select (select count(*) from api_key) as keys,
           (select count(*) from api_key where revoked_at is null) as active,
           (select count(*) from audit_event) as audit`);

/** Runs a command that must be refused, and asserts that nothing changed. */
async function refused(args: string[], status: number, reason: RegExp): Promise<void> {
  const before = await everything();
  const { code, out, err } = await runCommand(args, { env });
  assert.deepEqual({ code, out }, { code: status, out: '' });
  assert.match(err, reason);
  assert.deepEqual(await everything(), before);
}

test('an address that no user has, and a deactivated user, get no key', async () => {
  const user = await fixtures.user();
  await db.many(sql`update app_user set is_active = false where id = ${user.id}`);
  await refused(create('no@x.y'), 1, /^No user has the email address no@x\.y/);
  await refused(
    create(user.email),
    1,
    new RegExp(`^The user ${user.email} is deactivated, and every key of theirs is refused`),
  );
});

/** To PostgreSQL, the capital I with a dot is an i: it is another mailbox all the same. */
test('an address that is only spelled like one of a user gets no key, and lists none', async () => {
  const { email } = await fixtures.user({ email: `kim-${Date.now()}@example.com` });
  const alike = email.replace('i', '\u0130');
  await refused(create(alike), 1, new RegExp(`^No user has the email address ${alike}`));
  await refused(['users', 'link', alike], 1, /^No user has the email address/);
  await refused(['users', 'deactivate', alike], 1, /^No user has the email address/);
  assert.deepEqual(await jsonOf(['keys', 'list', '--email', alike], { env }), []);
  const made = await jsonOf(create(email.toUpperCase()), { env });
  assert.equal(made.email, email, 'the address as it is stored');
});

test('an unknown id is not revoked', () =>
  refused(['keys', 'revoke', UNKNOWN_ID], 1, /^No active key has the id/));

test('wrong arguments are sentences and status 2', async () => {
  const { email } = await fixtures.user();
  const keys = (...args: string[]) => ['keys', 'create', '--email', email, ...args];
  await refused(keys('--name', ' '), 2, /1 to 100 characters/);
  await refused(keys('--name', 'a\u200Bb'), 2, /--name/);
  await refused(keys('--name', 'n', '--expires', '2020-01-01'), 2, /must be in the future/);
  await refused(keys('--name', 'n', '--expires', 'soon'), 2, /such as 90d/);
  await refused(['keys', 'revoke', 'laptop'], 2, /not the id of a key: `keys list` shows the ids/);
});
