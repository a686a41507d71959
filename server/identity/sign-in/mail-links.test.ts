import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { linkMail } from './link-mail.ts';
import { linkTokens } from './sign-in-link.ts';

const harness = await startHarness({ env: { SIGN_UP: 'open' } });
const { db, fixtures, owner, unchanged } = harness;
const config = { publicUrl: 'https://guildhall.example.com' };
const tokens = linkTokens('a secret for tests that is long enough');

/** Asks for a link, and returns the token in the mail; undefined if there is none to send. */
async function mailed(email: string, signUp: 'open' | 'invited' = 'invited') {
  const reply = await openBrowser(harness).request('POST', '/auth/links', { body: { email } });
  assert.deepEqual([reply.status, reply.text], [202, '']);
  const mail = await db.one<{ recipient: string; subjectId: string }>(sql`
    select recipient, subject_id as "subjectId" from mail
     where kind = 'sign_in_link' and recipient = ${email} order by id desc limit 1`);
  const render = linkMail(db, tokens, { ...config, signUp });
  const content = await render(mail);
  if (content === 'obsolete') return undefined;
  assert.deepEqual(await render(mail), content, 'another attempt sends the same link');
  return content.link.url.slice(`${config.publicUrl}/links/`.length);
}

const act = (act: 'look' | 'use', body: object, browser = openBrowser(harness)) =>
  browser.request('POST', `/auth/links/${act}`, { body });
const unique = () => `new-${Math.random().toString(36).slice(2)}@example.com`;

test('sign-up: the address is proven first, then name and password are set, and the person is signed in', async () => {
  const email = unique();
  const token = await mailed(email, 'open');
  for (let times = 0; times < 2; times++)
    assert.deepEqual((await act('look', { token })).body, {
      purpose: 'sign_up',
      password: 'required',
      second_factor: 'none',
      email,
    });
  await unchanged(async () => {
    const nameless = await act('use', { token, password: PASSWORD });
    assert.deepEqual([nameless.status, nameless.body.detail[0].loc], [422, ['body', 'name']]);
    const weak = await act('use', { token, name: 'Ada', password: 'password1' });
    assert.deepEqual([weak.status, weak.body.detail[0].type], [422, 'password_too_weak']);
  });
  const browser = openBrowser(harness);
  const reply = await act('use', { token, name: 'Ada', password: PASSWORD }, browser);
  assert.deepEqual([reply.status, reply.body], [200, { pending: false }]);
  const { body } = await browser.request('GET', '/api/account');
  assert.deepEqual([body.email, body.name], [email, 'Ada']);
  const again = await openBrowser(harness).request('POST', '/auth/sign-in', {
    body: { email, password: PASSWORD },
  });
  assert.equal(again.status, 200);
  assert.equal((await act('use', { token, name: 'Eve', password: PASSWORD })).status, 404);
});

test('reset: sets the password, ends all other sessions and links, and still asks for the second factor', async () => {
  const user = await fixtures.user({ twoFactor: true });
  const other = await signedIn(harness, user);
  const token = await mailed(user.email);
  assert.deepEqual((await act('look', { token })).body, {
    purpose: 'reset',
    password: 'required',
    second_factor: 'unknown',
    email: user.email,
  });
  const browser = openBrowser(harness);
  const reply = await act('use', { token, password: PASSWORD }, browser);
  assert.deepEqual([reply.status, reply.body.pending], [200, true]);
  for (const { request } of [other, browser])
    assert.equal((await request('GET', '/api/account')).status, 401);
  const [row] = await db.many(sql`select from password where user_id = ${user.id}`);
  assert.ok(row);
});

test('202: the answer is the same for every address; who may not sign up, or is deactivated, gets no mail', async () => {
  const gone = await fixtures.user({ active: false });
  assert.equal(await mailed(unique(), 'invited'), undefined);
  assert.equal(await mailed(gone.email, 'open'), undefined);
  const inviter = await fixtures.user();
  const email = unique();
  await fixtures.invitation(await fixtures.workspace(inviter), { email, by: inviter });
  assert.ok(await mailed(email, 'invited'), 'an invited address may sign up');
  const links = await db.many(sql`select from sign_in_link where user_id = ${gone.id}`);
  assert.equal(links.length, 0);
});

test('404: unknown, malformed, expired, replaced and used links get one answer', async () => {
  const [late, replaced, used] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const expired = await mailed(late.email);
  await owner(sql`alter table sign_in_link disable trigger sign_in_link_stays`);
  await owner(sql`
    update sign_in_link set created_at = now() - interval '2 hours', expires_at = now()
     where user_id = ${late.id}`);
  await owner(sql`alter table sign_in_link enable trigger sign_in_link_stays`);
  const first = await mailed(replaced.email);
  assert.ok(await mailed(replaced.email));
  const gone = await mailed(used.email);
  assert.equal((await act('use', { token: gone, password: PASSWORD })).status, 200);
  const answers = new Set<string>();
  await unchanged(async () => {
    for (const token of [expired, first, gone, 'x'.repeat(43), 'x', '<b>']) {
      for (const [path, body] of [
        ['look', { token }],
        ['use', { token, name: 'Eve', password: PASSWORD }],
      ] as const) {
        const { status, text } = await act(path, body);
        answers.add(`${status} ${text}`);
      }
    }
  });
  assert.equal(answers.size, 1);
  assert.match([...answers][0] as string, /^404 .*link_unusable/);
});

test('race: of many uses of one link at once, one signs in', async () => {
  for (const known of [true, false, true, false]) {
    const email = known ? (await fixtures.user()).email : unique();
    const token = await mailed(email, 'open');
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => act('use', { token, name: 'Ada', password: PASSWORD })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(5).fill(404)]);
    const open = await db.many(sql`
      select from session s join app_user u on u.id = s.user_id
       where u.email = ${email} and s.ended_at is null`);
    assert.equal(open.length, 1);
  }
});

test('race: an address that becomes a user meanwhile is not taken over by its link', async () => {
  const email = unique();
  const token = await mailed(email, 'open');
  const user = await fixtures.user({ email });
  const reply = await act('use', { token, name: 'Eve', password: PASSWORD });
  assert.equal(reply.status, 404);
  assert.deepEqual(await db.many(sql`select from password where user_id = ${user.id}`), []);
});

test('no token is in the database: it is derived when the mail is made', async () => {
  const user = await fixtures.user();
  const token = (await mailed(user.email)) as string;
  const rows = await db.many(sql`
    select (select string_agg(m::text, '') from mail m where recipient = ${user.email}) as mails,
           (select string_agg(l::text, '') from sign_in_link l where user_id = ${user.id}) as links`);
  assert.ok(!JSON.stringify(rows).includes(token));
  assert.ok(!harness.log.join('').includes(token));
});
