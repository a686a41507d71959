import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../../db/sql.ts';
import { openBrowser, signedIn } from '../../../testing/clients/browser.ts';
import { enrol, forgetCodes } from '../../../testing/fixtures/identity/authenticator-app.ts';
import { givePassword, PASSWORD } from '../../../testing/fixtures/identity/passwords.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { openVault } from '../vault.ts';
import { newTotpSecret, stepOf } from './totp.ts';

const harness = await startHarness();
const { db, fixtures, log, unchanged } = harness;

const twoFactor = async ({ id }: User) =>
  (await db.one<{ two: boolean }>(sql`select two_factor as two from app_user where id = ${id}`))
    .two;

/** A person with a password and an app, whose used codes are forgotten. */
async function person() {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const browser = await signedIn(harness, user);
  const app = await enrol(browser);
  await forgetCodes(harness, user.id);
  return { user, browser, app };
}

/** A browser that has given the password, and still owes the second factor. */
async function halfSignedIn({ email }: User) {
  const browser = openBrowser(harness);
  const body = { email, password: PASSWORD };
  const reply = await browser.request('POST', '/auth/sign-in', { body });
  assert.deepEqual(reply.body, { pending: true, second_factors: ['totp', 'recovery_code'] });
  return browser;
}

test('an app counts once its first code is confirmed; recovery codes are shown once', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const begun = await browser.request('POST', '/auth/totp');
  assert.match(begun.body.url, /^otpauth:\/\/totp\/Guildhall:.*secret=[A-Z2-7]{32}/);
  assert.equal(await twoFactor(user), false);
  const wrong = await unchanged(() =>
    browser.request('POST', '/auth/totp/confirm', { body: { code: '000000' } }),
  );
  assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_code']);
  const { recoveryCodes } = await enrol(browser);
  assert.equal(await twoFactor(user), true);
  assert.equal(new Set(recoveryCodes).size, 10);
  for (const code of recoveryCodes)
    assert.match(code, /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  const factors = await browser.request('GET', '/auth/factors');
  assert.deepEqual(factors.body, {
    password: false,
    totp: true,
    recovery_codes_left: 10,
    passkeys: [],
  });
  for (const path of ['/auth/totp', '/auth/totp/confirm']) {
    const again = await unchanged(() =>
      browser.request('POST', path, path.endsWith('m') ? { body: { code: '000000' } } : {}),
    );
    assert.deepEqual([again.status, again.body.code], [409, 'totp_enabled']);
  }
});

test('200: a code completes the session, with a new token; the one before opens nothing', async () => {
  const { user, app } = await person();
  const browser = await halfSignedIn(user);
  const { cookie } = browser;
  const wrong = await unchanged(() =>
    browser.request('POST', '/auth/second-factor', { body: { code: '000000' } }),
  );
  assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_code']);
  const spaced = app.code().replace(/(?<=^...)/, ' ');
  const reply = await browser.request('POST', '/auth/second-factor', { body: { code: spaced } });
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.body.proven_until);
  assert.equal((await browser.request('GET', '/api/account')).status, 200);
  const done = await unchanged(() =>
    browser.request('POST', '/auth/second-factor', { body: { code: app.code() } }),
  );
  assert.deepEqual([done.status, done.body.code], [409, 'not_pending']);
  browser.cookie = cookie;
  assert.equal((await browser.request('POST', '/auth/sign-out')).status, 401);
});

test('replay: no code works twice, in whatever session; nor does an earlier one', async () => {
  const { user, app } = await person();
  const [first, second] = [await halfSignedIn(user), await halfSignedIn(user)];
  const body = { code: app.code() };
  assert.equal((await first.request('POST', '/auth/second-factor', { body })).status, 200);
  const again = await unchanged(() => second.request('POST', '/auth/second-factor', { body }));
  assert.deepEqual([again.status, again.body.code], [403, 'wrong_code']);
});

test('race: one code at many sessions at once completes one of them; so does one recovery code', async () => {
  for (const kind of ['totp', 'recovery'] as const) {
    const { user, app } = await person();
    const browsers = await Promise.all(Array.from({ length: 5 }, () => halfSignedIn(user)));
    const code = kind === 'totp' ? app.code() : (app.recoveryCodes[0] as string);
    const replies = await Promise.all(
      browsers.map(({ request }) => request('POST', '/auth/second-factor', { body: { code } })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403, 403, 403, 403], kind);
  }
});

test('race: one session that gives its code many times at once gets one token', async () => {
  const { user, app } = await person();
  const browser = await halfSignedIn(user);
  const { cookie } = browser;
  const codes = [app.code(), ...app.recoveryCodes.slice(0, 3)];
  const replies = await Promise.all(
    codes.map((code) =>
      harness.request('POST', '/auth/second-factor', {
        body: { code },
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      }),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const { status } of replies) assert.ok([200, 401, 409].includes(status), String(status));
});

test('recovery codes: each works once, also with capitals and without its hyphen; new ones replace them', async () => {
  const { user, app, browser } = await person();
  const [first = '', second = ''] = app.recoveryCodes;
  const shouted = first.toUpperCase().replace('-', '');
  const half = await halfSignedIn(user);
  const used = await half.request('POST', '/auth/second-factor', { body: { code: shouted } });
  assert.equal(used.status, 200);
  assert.equal((await half.request('GET', '/auth/factors')).body.recovery_codes_left, 9);
  const renewed = await browser.request('POST', '/auth/recovery-codes');
  assert.equal(renewed.body.recovery_codes.length, 10);
  const other = await halfSignedIn(user);
  for (const code of [first, second]) {
    const reply = await other.request('POST', '/auth/second-factor', { body: { code } });
    assert.equal(reply.status, 403);
  }
});

test('204: without the last factor there are no recovery codes, and the password is enough', async () => {
  const { user, browser } = await person();
  assert.equal((await browser.request('DELETE', '/auth/totp')).status, 204);
  assert.equal(await twoFactor(user), false);
  assert.equal((await browser.request('DELETE', '/auth/totp')).status, 404);
  const codes = await browser.request('POST', '/auth/recovery-codes');
  assert.deepEqual([codes.status, codes.body.code], [409, 'no_second_factor']);
  const reply = await openBrowser(harness).request('POST', '/auth/sign-in', {
    body: { email: user.email, password: PASSWORD },
  });
  assert.deepEqual(reply.body, { pending: false });
  const trail = await db.many<{ action: string }>(sql`
    select action from audit_event where target_id = ${user.id} and action like 'totp.%' and outcome = 'done'
     order by id`);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['totp.enable', 'totp.disable'],
  );
});

test('secrets are sealed for their person, and neither log nor trail has one', async () => {
  const { user, app } = await person();
  const [row] = await db.many<{ secret: Buffer }>(
    sql`select secret from totp where user_id = ${user.id}`,
  );
  const sealed = row?.secret as Buffer;
  const current = 'a secret for tests that is long enough';
  const vault = openVault({ current });
  const value = { sealed, keyId: vault.keyId };
  const secret = vault.open(value, user.id);
  // As the release before keys had ids wrote it, and as it is read while the secret is replaced.
  assert.deepEqual(vault.open({ sealed, keyId: null }, user.id), secret);
  const replaced = openVault({
    current: 'the next secret of the server, also long',
    previous: current,
  });
  assert.deepEqual(replaced.open(value, user.id), secret);
  assert.equal(secret.length, 20);
  assert.ok(!sealed.includes(secret));
  assert.throws(() => vault.open(value, 'another person'), /was changed, or belongs to another/);
  const other = openVault({ current: 'another secret of the server' });
  assert.throws(() => other.open(value, user.id), /SERVER_SECRET_PREVIOUS/);
  const rows = await db.many(sql`
    select (select string_agg(a::text, '') from audit_event a where target_id = ${user.id}) as trail,
           (select string_agg(c::text, '') from recovery_code c where user_id = ${user.id}) as codes`);
  const base32 = new Secret({ buffer: new Uint8Array(secret).buffer }).base32;
  for (const text of [
    base32,
    ...app.recoveryCodes,
    ...app.recoveryCodes.map((c) => c.replace('-', '')),
  ])
    assert.ok(!JSON.stringify(rows).includes(text) && !log.join('').includes(text));
});

test('a code belongs to its step of 30 seconds; one step to each side is accepted, for slow clocks', () => {
  const secret = newTotpSecret();
  const totp = new TOTP({ secret: new Secret({ buffer: new Uint8Array(secret).buffer }) });
  const now = 1_800_000_015_000;
  const step = Math.floor(now / 30_000);
  for (const [shift, expected] of [
    [-2, undefined],
    [-1, step - 1],
    [0, step],
    [1, step + 1],
    [2, undefined],
  ] as const) {
    const code = totp.generate({ timestamp: now + shift * 30_000 });
    assert.equal(stepOf(secret, code, now), expected, String(shift));
  }
});
