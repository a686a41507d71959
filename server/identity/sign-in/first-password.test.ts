import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { enrol } from '../../testing/fixtures/identity/authenticator-app.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { hashOf, newToken } from './session.ts';
import { createSignInLink } from './sign-in-link.ts';

/** How a person who came by a link of the operator gets a password, and who does not. */

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;

const linkFor = async (user: User) =>
  (await db.transaction((tx) => createSignInLink(tx, user.id))).token;
const resetLinkFor = async ({ id }: User) => {
  const token = newToken();
  await db.many(sql`
    insert into sign_in_link (user_id, purpose, token_hash, expires_at)
    values (${id}, 'reset', ${hashOf(token)}, now() + interval '1 hour')`);
  return token;
};
const act = (act: 'look' | 'use', body: object, browser = openBrowser(harness)) =>
  browser.request('POST', `/auth/links/${act}`, { body });
const signIn = ({ email }: User, password = PASSWORD) =>
  openBrowser(harness).request('POST', '/auth/sign-in', { body: { email, password } });

test('200: a link of the operator takes the first password of a person who has no factor, or none', async () => {
  const user = await fixtures.user();
  const token = await linkFor(user);
  const { body: looked } = await act('look', { token });
  assert.deepEqual([looked.purpose, looked.password], ['sign_in', 'optional']);
  assert.equal((await act('use', { token, password: PASSWORD })).status, 200);
  assert.equal((await signIn(user)).status, 200);

  const other = await fixtures.user();
  const without = await act('use', { token: await linkFor(other) });
  assert.equal(without.status, 200);
  assert.equal((await signIn(other)).status, 401);
});

test('422: it never replaces a password, and none is set beside a second factor; the link stays good', async () => {
  const withPassword = await fixtures.user();
  await givePassword(harness, withPassword);
  const withFactor = await fixtures.user();
  await enrol(await signedIn(harness, withFactor));
  for (const user of [withPassword, withFactor]) {
    const token = await linkFor(user);
    assert.equal((await act('look', { token })).body.password, 'none');
    const reply = await unchanged(() => act('use', { token, password: 'other-lamp-otter-42' }));
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', 'password']]);
    assert.equal((await act('use', { token })).status, 200);
    assert.equal((await signIn(user, 'other-lamp-otter-42')).status, 401);
  }
});

test('422: the first password must be a good one too', async () => {
  const token = await linkFor(await fixtures.user());
  const reply = await unchanged(() => act('use', { token, password: 'password1' }));
  assert.equal(reply.status, 422);
});

test('200: a link says whether a second factor is demanded besides it, and of one that is not known here, that a password is not enough', async () => {
  const plain = await fixtures.user();
  const enrolled = await fixtures.user();
  await enrol(await signedIn(harness, enrolled));
  const imported = await fixtures.user({ twoFactor: true });
  await givePassword(harness, imported);
  for (const [user, second_factor] of [
    [plain, 'none'],
    [enrolled, 'asked'],
    [imported, 'unknown'],
  ] as const)
    for (const purpose of ['sign_in', 'reset'] as const) {
      const token = purpose === 'sign_in' ? await linkFor(user) : await resetLinkFor(user);
      const looked = await act('look', { token });
      assert.deepEqual([looked.body.purpose, looked.body.second_factor], [purpose, second_factor]);
      // What it says is so.
      const used = await act('use', { token, ...(purpose === 'reset' && { password: PASSWORD }) });
      const pending =
        second_factor === 'asked' || (second_factor === 'unknown' && purpose === 'reset');
      assert.deepEqual([used.status, used.body.pending], [200, pending]);
    }
  assert.equal((await signIn(imported)).body.pending, true);
});

test('race: a password that is set meanwhile ends the link', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const token = await linkFor(user);
  const [set, used] = await Promise.all([
    browser.request('PUT', '/auth/password', { body: { password: PASSWORD } }),
    act('use', { token, password: 'other-lamp-otter-42' }),
  ]);
  // One of the two passwords holds, and whoever set it is the one who is signed in.
  const winners = [set.status === 204, used.status === 200];
  assert.equal(winners.filter(Boolean).length, 1, `${set.status} ${used.status}`);
  const [mine, theirs] = [await signIn(user), await signIn(user, 'other-lamp-otter-42')];
  assert.deepEqual([mine.status === 200, theirs.status === 200], winners);
});

test('403: a session without a fresh proof sets no first password: a new link is one', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user, { provenMinutesAgo: 11 });
  const set = () => browser.request('PUT', '/auth/password', { body: { password: PASSWORD } });
  const refused = await unchanged(set);
  assert.deepEqual([refused.status, refused.body.code], [403, 'proof_required']);
  await act('use', { token: await linkFor(user) }, browser);
  assert.equal((await set()).status, 204);
  assert.equal((await signIn(user)).status, 200);
});

test('200: a session says what its person lacks to sign in without a link', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const missing = async () => (await browser.request('GET', '/auth/session')).body.missing;
  assert.equal(await missing(), 'password');
  await db.many(sql`
    insert into identity (user_id, provider, issuer, subject)
    values (${user.id}, 'acme', 'https://id.acme.example', ${user.id})`);
  assert.equal(await missing(), undefined);
  await db.many(sql`delete from identity where user_id = ${user.id}`);
  await givePassword(harness, user);
  assert.equal(await missing(), undefined);
  // One that was imported with them is not known here, and is asked for all the same.
  await db.many(sql`update app_user set two_factor = true where id = ${user.id}`);
  assert.equal(await missing(), 'second_factor');
  await enrol(browser);
  assert.equal(await missing(), undefined);
});
