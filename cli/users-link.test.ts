import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall users link`, beside a running server. */

const { db, fixtures, databaseUrl, url } = await startHarness();
const env = { DATABASE_URL: databaseUrl, PUBLIC_URL: url };

const tokenOf = (link: string) => new URL(link).pathname.slice('/links/'.length);

/** Uses a link, as its page does when the button is pressed. */
async function signIn(link: string): Promise<string> {
  const reply = await fetch(new URL('/auth/links/use', link), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokenOf(link) }),
  });
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

test('a link signs its user in, once; a newer one replaces it; the audit trail has no token', async () => {
  const user = await fixtures.user();
  const first = await jsonOf(['users', 'link', user.email.toUpperCase()], { env });
  assert.deepEqual(Object.keys(first), ['user_id', 'email', 'link', 'expires_at']);
  assert.deepEqual([first.user_id, first.email], [user.id, user.email]);
  const minutes = (Date.parse(first.expires_at) - Date.now()) / 60_000;
  assert.ok(minutes > 55 && minutes <= 60, String(minutes));
  const { code, out } = await runCommand(['users', 'link', user.id], { env });
  assert.equal(code, 0);
  const link = out.split('\n')[0] as string;
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/links\/[\w-]{43}$/);
  assert.match(out, /can sign in as .*, once, until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  assert.equal(await signIn(first.link), '');
  const cookie = await signIn(link);
  const account = await fetch(`${url}/api/account`, { headers: { cookie } });
  assert.equal(((await account.json()) as { id: string }).id, user.id);
  assert.equal(await signIn(link), '');
  const trail = await db.many<{ action: string; after: object; actor: string | null }>(sql`
    select action, actor_user_id as actor, after from audit_event
     where target_id = ${user.id} order by id`);
  assert.deepEqual(
    trail.map(({ action, actor }) => [action, actor]),
    [
      ['sign_in_link.create', null],
      ['sign_in_link.create', null],
      ['session.create', user.id],
    ],
  );
  for (const shown of [first.link, link])
    assert.ok(!JSON.stringify(trail).includes(tokenOf(shown)));
});

test('unknown and deactivated users and service accounts get none', async () => {
  const gone = await fixtures.user();
  const service = await fixtures.serviceAccount(await fixtures.workspace(await fixtures.user()));
  await db.many(sql`update app_user set is_active = false where id = ${gone.id}`);
  for (const [who, reason] of [
    ['nobody@example.com', /^No user has the email address nobody@example\.com/],
    [gone.email, /is deactivated: .* `users activate .*` first\.$/m],
    [service.id, /is a service account: nobody signs in as it\./],
  ] as const) {
    const { code, out, err } = await runCommand(['users', 'link', who], { env });
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, reason);
    const json = await runCommand(['users', 'link', who, '--json'], { env });
    assert.match(JSON.parse(json.err).error, reason);
  }
  for (const { id } of [gone, service])
    assert.deepEqual(await db.many(sql`select from sign_in_link where user_id = ${id}`), []);
});

test('--help says what it does; without a user it is wrong usage', async () => {
  const help = await runCommand(['users', 'link', '--help'], { env });
  assert.equal(help.code, 0);
  assert.match(help.out, /signs the user in once, within 60 minutes/);
  assert.equal((await runCommand(['users', 'link'], { env })).code, 2);
});

test('reset-two-factor removes what was lost, ends the sessions, and is in the trail', async () => {
  const user = await fixtures.user({ twoFactor: true });
  await db.many(sql`
    insert into totp (user_id, secret, confirmed_at) values (${user.id}, sha256('a secret'), now())`);
  await db.many(sql`
    insert into recovery_code (user_id, code_hash) values (${user.id}, sha256('a code'))`);
  await db.many(sql`
    insert into session (user_id, token_hash, expires_at)
    values (${user.id}, sha256('a token'), now() + interval '1 day')`);
  const done = await jsonOf(['users', 'reset-two-factor', user.email], { env });
  const removed = { totp: 1, passkeys: 0, recovery_codes: 1, sessions_ended: 1 };
  assert.deepEqual(done, { user_id: user.id, email: user.email, ...removed });
  const [row] = await db.many(sql`
    select two_factor, (select count(*) from session s
                         where s.user_id = u.id and s.ended_at is null)::int as sessions
      from app_user u where id = ${user.id}`);
  assert.deepEqual(row, { two_factor: false, sessions: 0 });
  const [event] = await db.many(sql`
    select after from audit_event
     where target_id = ${user.id} and action = 'user.reset_two_factor'`);
  assert.deepEqual(event, { after: removed });
});
