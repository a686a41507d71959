import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openBrowser, signedIn } from '../../../testing/clients/browser.ts';
import { createPasskey } from '../../../testing/fixtures/identity/authenticator.ts';
import { addPasskey, PASSKEY_URL, show } from '../../../testing/fixtures/identity/passkeys.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const harness = await startHarness({ env: { PUBLIC_URL: PASSKEY_URL } });
const { db, fixtures, unchanged } = harness;

const twoFactor = async ({ id }: User) =>
  (await db.one<{ two: boolean }>(sql`select two_factor as two from app_user where id = ${id}`))
    .two;

test('201: a passkey is added, is the second factor, and signs its person in', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  const passkey = await addPasskey(mine);
  assert.equal(await twoFactor(user), true);
  const browser = openBrowser(harness);
  const reply = await show(browser, '/auth/sign-in/passkey', passkey);
  assert.deepEqual([reply.status, reply.body], [200, { pending: false }]);
  const { body } = await browser.request('GET', '/auth/session');
  assert.deepEqual([body.user.id, body.pending, body.sign_in.passkeys], [user.id, false, true]);
  assert.ok(Date.parse(body.proven_until) > Date.now());
  const trail = await db.many(sql`
    select action, after from audit_event where actor_user_id = ${user.id} order by occurred_at`);
  assert.deepEqual(trail, [
    { action: 'passkey.create', after: { name: 'Laptop' } },
    {
      action: 'session.create',
      after: { by: 'passkey', pending: false, network: '127.0.0.1' },
    },
  ]);
  const [stored] = await db.many(sql`
    select counter::int as counter, last_used_at is not null as used, transports, backed_up
      from passkey where user_id = ${user.id}`);
  const kept = { counter: 2, used: true, transports: ['internal', 'hybrid'], backed_up: true };
  assert.deepEqual(stored, kept);
});

test('200: a passkey completes a pending session, and proves one again; each time with a new token', async () => {
  const user = await fixtures.user();
  const passkey = await addPasskey(await signedIn(harness, user));
  for (const [occasion, options] of [
    ['/auth/second-factor/passkey', { pending: true }],
    ['/auth/proof/passkey', { provenMinutesAgo: 30 }],
  ] as const) {
    const browser = await signedIn(harness, user, options);
    const { cookie } = browser;
    const reply = await show(browser, occasion, passkey);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(Date.parse(reply.body.proven_until) > Date.now() + 9 * 60_000);
    assert.notEqual(browser.cookie, cookie);
    const session = await browser.request('GET', '/auth/session');
    assert.deepEqual([session.body.pending, session.body.user.id], [false, user.id]);
    assert.equal((await browser.request('GET', '/auth/keys')).status, 200);
    const former = await browser.request('GET', '/auth/keys', { headers: { cookie } });
    assert.equal(former.status, 401);
  }
  const trail = await db.many<{ action: string }>(sql`
    select action from audit_event
     where actor_user_id = ${user.id} and after ->> 'by' = 'passkey' order by occurred_at`);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['session.second_factor', 'session.prove'],
  );
});

test('200: the options exclude passkeys that are there already, and name those that can answer', async () => {
  const user = await fixtures.user({ name: 'Ada' });
  const mine = await signedIn(harness, user);
  const [first, second] = [await addPasskey(mine), await addPasskey(mine)];
  const { body } = await mine.request('POST', '/auth/passkeys/options');
  const named = (list: { id: string }[]) => list.map(({ id }) => id);
  assert.deepEqual(named(body.excludeCredentials), [first.id, second.id]);
  assert.deepEqual(body.rp, { id: 'guildhall.localhost', name: 'Guildhall' });
  assert.deepEqual([body.user.name, body.user.displayName], [user.email, 'Ada']);
  assert.equal(Buffer.from(body.user.id, 'base64url').toString('hex'), user.id.replaceAll('-', ''));
  const proof = await mine.request('POST', '/auth/proof/passkey/options');
  assert.deepEqual(named(proof.body.allowCredentials), [first.id, second.id]);
  const anyone = await openBrowser(harness).request('POST', '/auth/sign-in/passkey/options');
  assert.deepEqual(anyone.body.allowCredentials, []);
});

test('422: what is no answer to a challenge of this session adds nothing, and spends the challenge', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  const other = await signedIn(harness, user);
  const begin = async () => (await mine.request('POST', '/auth/passkeys/options')).body;
  const add = (browser: typeof mine, credential: object) =>
    browser.request('POST', '/auth/passkeys', { body: { name: 'Laptop', credential } });
  const count = () => db.many(sql`select from passkey where user_id = ${user.id}`);
  for (const faults of [{ origin: 'https://evil.example' }, { unverified: true }, { rpId: 'x' }]) {
    const { credential } = createPasskey(await begin(), { origin: PASSKEY_URL, ...faults });
    const reply = await add(mine, credential);
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'passkey_invalid']);
  }
  const options = await begin();
  const { credential } = createPasskey(options, { origin: PASSKEY_URL });
  assert.equal((await add(other, credential)).status, 422, 'the challenge of another session');
  const asserted = await mine.request('POST', '/auth/sign-in/passkey/options');
  const mixed = createPasskey({ ...options, ...asserted.body }, { origin: PASSKEY_URL });
  assert.equal((await add(mine, mixed.credential)).status, 422, 'a challenge to sign in');
  assert.equal((await add(mine, credential)).status, 201);
  assert.equal((await add(mine, credential)).status, 422, 'again');
  assert.equal((await count()).length, 1);
  const clone = createPasskey(await begin(), { origin: PASSKEY_URL, id: credential.rawId });
  const known = await add(mine, clone.credential);
  assert.deepEqual([known.status, known.body.code], [409, 'passkey_known']);
});

test('204: a removed passkey signs in no one; the last factor takes the second factor with it', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  const [first, second] = [await addPasskey(mine), await addPasskey(mine)];
  const stranger = await signedIn(harness, await fixtures.user());
  const foreign = await unchanged(() =>
    stranger.request('DELETE', `/auth/passkeys/${first.passkeyId}`),
  );
  assert.equal(foreign.status, 404);
  assert.equal((await mine.request('DELETE', `/auth/passkeys/${first.passkeyId}`)).status, 204);
  const refused = await show(openBrowser(harness), '/auth/sign-in/passkey', first);
  assert.deepEqual([refused.status, refused.body.code], [401, 'passkey_refused']);
  assert.equal(await twoFactor(user), true);
  const last = await unchanged(() => mine.request('DELETE', `/auth/passkeys/${second.passkeyId}`));
  assert.deepEqual([last.status, last.body.code], [409, 'last_way_to_sign_in']);
});

test('race: of the last two passkeys, removed at once, one stays', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await fixtures.user();
    // In two browsers: the second change of one session finds its token replaced.
    const browsers = [await signedIn(harness, user), await signedIn(harness, user)] as const;
    const made = [await addPasskey(browsers[0]), await addPasskey(browsers[0])] as const;
    const replies = await Promise.all(
      browsers.map(({ request }, index) =>
        request('DELETE', `/auth/passkeys/${made[index]?.passkeyId}`),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 409]);
  }
});

test('409: no passkeys at an IP address, and none asked for of someone who has none', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  const none = await unchanged(() => mine.request('POST', '/auth/proof/passkey/options'));
  assert.deepEqual([none.status, none.body.code], [409, 'no_passkey']);
  const numeric = await startHarness();
  const browser = await signedIn(numeric, await numeric.fixtures.user());
  for (const path of ['/auth/passkeys/options', '/auth/sign-in/passkey/options']) {
    const off = await numeric.unchanged(() => browser.request('POST', path));
    assert.deepEqual([off.status, off.body.code], [409, 'passkeys_unavailable']);
  }
  const { body } = await openBrowser(numeric).request('GET', '/auth/session');
  assert.equal(body.sign_in.passkeys, false);
});
