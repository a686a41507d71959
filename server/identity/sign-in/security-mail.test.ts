import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { compose } from '../../platform/mail/compose.ts';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { enrol } from '../../testing/fixtures/identity/authenticator-app.ts';
import { addPasskey, PASSKEY_URL } from '../../testing/fixtures/identity/passkeys.ts';
import { PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { link } from './providers/sign-in-as.ts';
import { securityMail } from './security-mail.ts';
import { hashOf, newToken } from './session.ts';

const harness = await startHarness({ env: { PUBLIC_URL: PASSKEY_URL } });
const { db, fixtures, unchanged } = harness;
const publicUrl = 'https://guildhall.example.com';
const render = securityMail(db, { publicUrl });

interface Queued {
  id: string;
  recipient: string;
  subjectId: string;
}

const noticesOf = (email: string) =>
  db.many<Queued>(sql`
    select id, recipient, subject_id as "subjectId" from mail
     where kind = 'security_notice' and recipient = ${email} order by id`);

/** What the mails say, as text. */
async function saidTo(email: string) {
  const messages = [];
  for (const mail of await noticesOf(email)) {
    const content = await render(mail);
    assert.notEqual(content, 'obsolete');
    if (content === 'obsolete') continue;
    assert.deepEqual(await render(mail), content, 'another attempt sends the same');
    messages.push(compose(mail, content, { name: 'Guildhall', address: 'no-reply@example.com' }));
  }
  return messages;
}

test('each change of how someone signs in is one mail: what, when, and what to do', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const act = async (method: string, path: string, body?: object) => {
    const reply = await browser.request(method, path, body && { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  await act('PUT', '/auth/password', { password: PASSWORD });
  await enrol(browser);
  await act('POST', '/auth/recovery-codes');
  const { passkeyId } = await addPasskey(browser);
  await act('DELETE', `/auth/passkeys/${passkeyId}`);
  await act('DELETE', '/auth/totp');
  const key = await act('POST', '/auth/keys', { name: 'CI of the shop' });
  const { id: sessionId } = await db.one<{ id: string }>(
    sql`select id from session where user_id = ${user.id} and ended_at is null`,
  );
  await db.transaction((tx) =>
    link(tx, {
      provider: { id: 'acme', name: 'Acme', issuer: 'https://id.acme.example' } as never,
      person: { subject: user.id, email: undefined, emailVerified: false, name: undefined },
      caller: { userId: user.id, sessionId },
      requestId: 'test',
    }),
  );
  const [identity] = await act('GET', '/auth/identities');
  await act('DELETE', `/auth/identities/${identity.id}`);
  await act('DELETE', `/auth/keys/${key.id}`);

  const said = await saidTo(user.email);
  assert.deepEqual(
    said.map(({ subject }) => subject.replace(/ at Guildhall$/, '')),
    [
      'Your password was set',
      'An authenticator app was added',
      'Your recovery codes were renewed',
      'A passkey was added',
      'A passkey was removed',
      'Your authenticator app was removed',
      'An API key was created',
      'An account was linked',
      'A linked account was removed',
    ],
  );
  for (const { to, text } of said) {
    assert.equal(to, user.email);
    assert.match(text, /This was on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\./);
    assert.match(text, /https:\/\/guildhall\.example\.com\/account\/(security|keys|connections)\n/);
    assert.match(
      text,
      /If it was not, ask for a link at https:\/\/guildhall\.example\.com\/sign-in/,
    );
    assert.ok(!text.includes(key.key) && !text.includes(PASSWORD));
  }
  for (const [at, name] of [
    [3, 'Laptop'],
    [4, 'Laptop'],
    [6, 'CI of the shop'],
    [7, 'acme'],
    [8, 'acme'],
  ] as const)
    assert.match(String(said[at]?.text), new RegExp(`“${name}”`));
});

test('a reset by mail and one of second factors by the operator are mails too', async () => {
  const user = await fixtures.user();
  const token = newToken();
  await db.many(sql`
    insert into sign_in_link (user_id, purpose, token_hash, expires_at)
    values (${user.id}, 'reset', ${hashOf(token)}, now() + interval '1 hour')`);
  const body = { token, password: PASSWORD };
  const reply = await openBrowser(harness).request('POST', '/auth/links/use', { body });
  assert.equal(reply.status, 200, reply.text);
  await db.many(sql`
    insert into audit_event (action, outcome, target_id, request_id)
    values ('user.reset_two_factor', 'done', ${user.id}, 'test')`);
  const subjects = (await saidTo(user.email)).map(({ subject }) => subject);
  assert.deepEqual(subjects, [
    'Your password was set at Guildhall',
    'Your second factors were removed at Guildhall',
  ]);
});

test('no mail: what was refused, what is not about signing in, and what a person sets as they sign up', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const refused = await unchanged(() =>
    browser.request('PUT', '/auth/password', { body: { password: 'password1' } }),
  );
  assert.equal(refused.status, 422);
  assert.equal((await browser.request('POST', '/auth/sign-out')).status, 204);
  const email = `new-${user.id}@example.com`;
  await db.transaction(async (tx) => {
    const { id } = await tx.one<{ id: string }>(
      sql`insert into app_user (email) values (${email}) returning id`,
    );
    const { id: sessionId } = await tx.one<{ id: string }>(sql`
      insert into session (user_id, token_hash, expires_at)
      values (${id}, sha256(${id}::text::bytea), now() + interval '1 day') returning id`);
    await tx.many(sql`
      insert into audit_event (actor_user_id, session_id, action, outcome, target_id, request_id)
      values (${id}, ${sessionId}, 'password.set', 'done', ${id}, 'test')`);
  });
  for (const address of [user.email, email]) assert.deepEqual(await noticesOf(address), []);
});

test('obsolete: whoever is deactivated before it is sent gets none', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const body = { password: PASSWORD };
  assert.equal((await browser.request('PUT', '/auth/password', { body })).status, 204);
  const [mail] = await noticesOf(user.email);
  await db.many(sql`update app_user set is_active = false where id = ${user.id}`);
  assert.equal(await render(mail as Queued), 'obsolete');
});
