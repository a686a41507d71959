import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { deactivateUser } from '../users/users.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, log, metrics, unchanged } = harness;

const signIn = (email: string, password: string, browser = openBrowser(harness)) =>
  browser.request('POST', '/auth/sign-in', { body: { email, password } });

test('200: a password begins a session, in any case of the address; the trail says from where', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const browser = openBrowser(harness);
  const reply = await signIn(user.email.toUpperCase(), ` ${PASSWORD} `, browser);
  assert.deepEqual([reply.status, reply.body], [200, { pending: false }]);
  const { body } = await browser.request('GET', '/auth/session');
  assert.deepEqual([body.user.id, body.pending], [user.id, false]);
  assert.ok(body.proven_until);
  assert.equal((await browser.request('GET', '/api/account')).body.id, user.id);
  const [session] = await db.many<{ user_agent: string; network: string }>(sql`
    select user_agent, network from session where user_id = ${user.id}`);
  assert.deepEqual(session, { user_agent: 'node', network: '127.0.0.1' });
  const events = await db.many(sql`
    select action, outcome, after from audit_event where actor_user_id = ${user.id}`);
  assert.deepEqual(events, [
    {
      action: 'session.create',
      outcome: 'done',
      after: { by: 'password', pending: false, network: '127.0.0.1' },
    },
  ]);
});

test('200: with a second factor the session is pending, and opens nothing else', async () => {
  const user = await fixtures.user({ twoFactor: true });
  await givePassword(harness, user);
  const browser = openBrowser(harness);
  const reply = await signIn(user.email, PASSWORD, browser);
  assert.deepEqual(reply.body, { pending: true, second_factors: [] });
  assert.equal((await browser.request('GET', '/api/account')).status, 401);
  const [session] = await db.many<{ minutes: number }>(sql`
    select extract(epoch from expires_at - now())::float8 / 60 as minutes
      from session where user_id = ${user.id}`);
  assert.ok((session?.minutes ?? 99) <= 15);
});

test('a sign-in never takes over the token that the browser came with', async () => {
  const [user, other] = [await fixtures.user(), await fixtures.user()];
  await givePassword(harness, user);
  const planted = await signedIn(harness, other);
  const { cookie } = planted;
  await signIn(user.email, PASSWORD, planted);
  assert.notEqual(planted.cookie, cookie);
  planted.cookie = cookie;
  const { body } = await planted.request('GET', '/auth/session');
  assert.equal(body.user.id, other.id);
  const pending = await signedIn(harness, user, { pending: true });
  const before = pending.cookie;
  await signIn(user.email, PASSWORD, pending);
  assert.notEqual(pending.cookie, before);
});

test('401: an unknown address, no password, a wrong one and a deactivated user get one answer', async () => {
  const [wrong, none, gone] = [await fixtures.user(), await fixtures.user(), await fixtures.user()];
  await givePassword(harness, wrong, gone);
  await db.transaction((tx) => deactivateUser(tx, { id: gone.id }));
  const answers = new Set<string>();
  await unchanged(async () => {
    for (const [email, password] of [
      [wrong.email, `${PASSWORD}x`],
      [wrong.email, PASSWORD.toUpperCase()],
      [none.email, PASSWORD],
      [gone.email, PASSWORD],
      ['no-one@example.com', PASSWORD],
    ] as const) {
      const reply = await signIn(email, password);
      const { status, text, headers } = reply;
      answers.add(`${status} ${text} ${headers.getSetCookie()} ${[...headers.keys()]}`);
    }
  });
  assert.equal(answers.size, 1);
  assert.match([...answers][0] as string, /^401 .*"wrong_credentials"/);
});

test('audit: refused attempts are recorded on their person, and counted', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  await signIn(user.email, 'not this one');
  const events = () =>
    db.many(sql`
      select actor_user_id, action, outcome, code, after from audit_event
       where target_id = ${user.id}`);
  await until('the record', async () => (await events()).length === 1);
  assert.deepEqual(await events(), [
    {
      actor_user_id: null,
      action: 'session.create',
      outcome: 'refused',
      code: 'wrong_credentials',
      after: { by: 'password', network: '127.0.0.1' },
    },
  ]);
  const text = await metrics.metrics();
  assert.match(text, /^guildhall_sign_ins_total\{by="password",outcome="refused"\} \d+$/m);
});

test('a password is stored as its hash alone, and no answer, log or trail has it', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  await signIn(user.email, PASSWORD);
  const weak = 'short-1';
  const browser = await signedIn(harness, user);
  const reply = await browser.request('PUT', '/auth/password', { body: { password: weak } });
  assert.equal(reply.status, 422);
  assert.ok(!reply.text.includes(weak));
  const [row] = await db.many<{ text: string }>(sql`
    select p::text || (select coalesce(string_agg(a::text, ''), '') from audit_event a
                        where a.target_id = ${user.id}) as text
      from password p where user_id = ${user.id}`);
  for (const secret of [PASSWORD, weak, browser.cookie.slice(10)])
    assert.ok(!row?.text.includes(secret) && !log.join('').includes(secret));
});

test('a hash of former parameters is renewed by the next sign-in', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const { argon2Sync } = await import('node:crypto');
  const salt = Buffer.alloc(16, 7);
  const key = argon2Sync('argon2id', {
    message: PASSWORD,
    nonce: salt,
    parallelism: 1,
    tagLength: 32,
    memory: 8192,
    passes: 1,
  });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const old = `$argon2id$v=19$m=8192,t=1,p=1$${text(salt)}$${text(key)}`;
  await db.many(sql`update password set phc = ${old} where user_id = ${user.id}`);
  assert.equal((await signIn(user.email, PASSWORD)).status, 200);
  const [row] = await db.many<{ phc: string }>(
    sql`select phc from password where user_id = ${user.id}`,
  );
  assert.match(row?.phc ?? '', /m=19456,t=2/);
  assert.equal((await signIn(user.email, PASSWORD)).status, 200);
});

test('race: a sign-in while its user is deactivated leaves no session', async () => {
  for (let round = 0; round < 8; round++) {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const [reply] = await Promise.all([
      signIn(user.email, PASSWORD),
      db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    ]);
    assert.ok([200, 401].includes(reply.status));
    const open = await db.many(
      sql`select from session where user_id = ${user.id} and ended_at is null`,
    );
    assert.equal(open.length, 0);
  }
});

test('204: a new password ends all other sessions and links, and only it works then', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const [mine, other] = [await signedIn(harness, user), await signedIn(harness, user)];
  const password = 'plum-carousel-quartz-9';
  const reply = await mine.request('PUT', '/auth/password', { body: { password } });
  assert.equal(reply.status, 204);
  assert.equal((await mine.request('GET', '/api/account')).status, 200);
  assert.equal((await other.request('GET', '/api/account')).status, 401);
  assert.equal((await signIn(user.email, PASSWORD)).status, 401);
  assert.equal((await signIn(user.email, password)).status, 200);
  const events = await db.many(sql`
    select after from audit_event where action = 'password.set' and target_id = ${user.id}`);
  assert.deepEqual(events, [{ after: { sessions_ended: 1 } }]);
});

test('422: a weak password changes nothing', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  for (const password of ['password1', 'x'.repeat(300), 'short', user.email]) {
    const reply = await unchanged(() =>
      mine.request('PUT', '/auth/password', { body: { password } }),
    );
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', 'password']]);
  }
});
