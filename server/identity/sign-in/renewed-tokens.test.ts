import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { type Browser, openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { enrol, forgetCodes } from '../../testing/fixtures/identity/authenticator-app.ts';
import { addPasskey, PASSKEY_URL } from '../../testing/fixtures/identity/passkeys.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// Where passkeys work.
const harness = await startHarness({ env: { PUBLIC_URL: PASSKEY_URL } });
const { db, fixtures, unchanged } = harness;

const opens = async (cookie: string) => {
  const browser = openBrowser(harness);
  browser.cookie = cookie;
  return (await browser.request('GET', '/auth/sessions')).status === 200;
};
const provenAt = async ({ id }: User) =>
  db.one<{ at: Date; ends: Date }>(sql`
    select proven_at as at, expires_at as ends from session
     where user_id = ${id} and ended_at is null`);
const newPassword = { body: { password: 'brisk-copper-willow-17' } };

const CHANGES: Record<string, (browser: Browser, user: User) => Promise<{ status: number }>> = {
  'a new password': (browser) => browser.request('PUT', '/auth/password', newPassword),
  'a new authenticator app': async (browser) => {
    await enrol(browser);
    return { status: 200 };
  },
  'an app that is removed': async (browser, user) => {
    await enrol(browser);
    await forgetCodes(harness, user.id);
    return browser.request('DELETE', '/auth/totp');
  },
  'a new passkey': async (browser) => {
    await addPasskey(browser);
    return { status: 201 };
  },
  'a passkey that is removed': async (browser) => {
    await addPasskey(browser);
    await browser.request('PUT', '/auth/password', newPassword);
    const { body } = await browser.request('GET', '/auth/factors');
    return browser.request('DELETE', `/auth/passkeys/${body.passkeys[0].id}`);
  },
};

for (const [what, change] of Object.entries(CHANGES))
  test(`${what} gives its session a new token: the one before opens nothing, and no proof is longer`, async () => {
    const user = await fixtures.user();
    const browser = await signedIn(harness, user, { provenMinutesAgo: 3 });
    const [{ cookie }, before] = [browser, await provenAt(user)];
    const { status } = await change(browser, user);
    assert.ok(status >= 200 && status < 300, String(status));
    assert.notEqual(browser.cookie, cookie);
    assert.deepEqual([await opens(cookie), await opens(browser.cookie)], [false, true]);
    assert.deepEqual(await provenAt(user), before);
  });

test('a change that is refused leaves the session its token', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const { cookie } = browser;
  await browser.request('POST', '/auth/totp');
  for (const [method, path, body] of [
    ['PUT', '/auth/password', { password: 'password1' }],
    ['POST', '/auth/totp/confirm', { code: '000000' }],
    ['DELETE', '/auth/passkeys/6f1e2d3c-4b5a-4968-8776-655443322110', undefined],
  ] as const) {
    const reply = await unchanged(() =>
      browser.request(method, path, body === undefined ? {} : { body }),
    );
    assert.ok(reply.status >= 400, path);
  }
  assert.deepEqual([browser.cookie, await opens(cookie)], [cookie, true]);
});

test('race: of two passwords that one session sets at once, one is set, and its answer has the token', async () => {
  for (let round = 0; round < 4; round++) {
    const user = await fixtures.user();
    const { cookie } = await signedIn(harness, user);
    const browsers = ['brisk-copper-willow-17', 'mellow-quartz-harbor-58'].map((password) => {
      const browser = openBrowser(harness);
      browser.cookie = cookie;
      return { browser, password };
    });
    const replies = await Promise.all(
      browsers.map(({ browser, password }) =>
        browser.request('PUT', '/auth/password', { body: { password } }),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 401]);
    const won = browsers[replies.findIndex(({ status }) => status === 204)];
    assert.ok(won);
    assert.deepEqual([await opens(cookie), await opens(won.browser.cookie)], [false, true]);
    const again = await openBrowser(harness).request('POST', '/auth/sign-in', {
      body: { email: user.email, password: won.password },
    });
    assert.equal(again.status, 200, again.text);
  }
});
