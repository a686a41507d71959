import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../../testing/clients/browser.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** A hundred passwords are a hundred hashes, each of which is to take long. */

const harness = await startHarness({
  env: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000' },
});

const tried = (email: string, password: string, from: string) =>
  openBrowser(harness).request('POST', '/auth/sign-in', {
    body: { email, password },
    headers: { 'x-forwarded-for': from },
  });

test('429: a hundred from many networks; where its person has signed in before, they still do', async () => {
  const user = await harness.fixtures.user();
  await givePassword(harness, user);
  assert.equal((await tried(user.email, PASSWORD, '198.51.100.1')).status, 200);
  for (let times = 0; times < 100; times++)
    assert.equal((await tried(user.email, 'wrong', `2001:db8:${times}::1`)).status, 401);
  assert.equal((await tried(user.email, PASSWORD, '2001:db8:ffff::1')).status, 429);
  assert.equal((await tried(user.email, PASSWORD, '198.51.100.1')).status, 200);
});
