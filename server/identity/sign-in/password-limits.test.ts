import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../../testing/clients/browser.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness({
  env: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000' },
});
const { fixtures } = harness;

const tried = (email: string, password: string, from: string) =>
  openBrowser(harness).request('POST', '/auth/sign-in', {
    body: { email, password },
    headers: { 'x-forwarded-for': from },
  });

test('429: ten wrong passwords for an address from one network; elsewhere its person still signs in', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  for (let times = 0; times < 10; times++)
    assert.equal((await tried(user.email, `wrong-${times}`, '203.0.113.7')).status, 401);
  const refused = await tried(user.email, PASSWORD, '203.0.113.7');
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  const unknown = 'no-one@example.com';
  for (let times = 0; times < 10; times++) await tried(unknown, 'x', '203.0.113.8');
  assert.equal((await tried(unknown, 'x', '203.0.113.8')).text, refused.text);
  assert.equal((await tried(user.email, PASSWORD, '198.51.100.1')).status, 200);
});

test('what was right is not counted', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  for (let times = 0; times < 15; times++)
    assert.equal((await tried(user.email, PASSWORD, '203.0.113.9')).status, 200);
});
