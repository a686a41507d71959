import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from '../../testing/clients/browser.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const LIMIT = 5;
const env = { RATE_LIMIT_SIGN_IN_PER_MINUTE: String(LIMIT) };
const proxied = await startHarness({ env: { ...env, TRUSTED_PROXIES: '127.0.0.1' } });
const direct = await startHarness({ env });

let tried = 0;
/** Tries a password of no one through the proxy, or directly; `from`: X-Forwarded-For. */
async function attempt(from: string, harness = proxied): Promise<number> {
  const { status } = await openBrowser(harness).request('POST', '/auth/sign-in', {
    body: { email: `no-one-${tried++}@example.com`, password: 'not this one' },
    headers: { 'x-forwarded-for': from },
  });
  return status;
}

/** The statuses of as many attempts as are allowed, and of one more, from these addresses in turn. */
const oneTooMany = async (from: (time: number) => string, harness = proxied) => {
  const statuses: number[] = [];
  for (let time = 0; time <= LIMIT; time++) statuses.push(await attempt(from(time), harness));
  return statuses;
};
const COUNTED_TOGETHER = [...Array(LIMIT).fill(401), 429];
const COUNTED_APART = Array(LIMIT + 1).fill(401);

test('an IPv4 address is one network, and so is each /64 of IPv6, however it is written', async () => {
  assert.deepEqual(await oneTooMany(() => '203.0.113.1'), COUNTED_TOGETHER);
  assert.equal(await attempt('203.0.113.2'), 401);
  const spellings = ['2001:db8:1:1::', '2001:0DB8:0001:0001:0:0:0:', '2001:db8:1:1:ffff::'];
  const host = (time: number) => `${spellings[time % 3]}${time + 1}`;
  assert.deepEqual(await oneTooMany(host), COUNTED_TOGETHER);
  assert.equal(await attempt('2001:db8:1:2::1'), 401);
  const apart = (time: number) => `2001:db8:2:${time}::1`;
  assert.deepEqual(await oneTooMany(apart), COUNTED_APART);
});

test('behind a trusted proxy, what it has added counts, and not what the client claims', async () => {
  const claimed = (time: number) => `198.51.100.${time}, 203.0.113.10`;
  assert.deepEqual(await oneTooMany(claimed), COUNTED_TOGETHER);
  const through = (time: number) => `203.0.113.${20 + time}, 127.0.0.1`;
  assert.deepEqual(await oneTooMany(through), COUNTED_APART);
});

test('without a trusted proxy, no header changes what a client is counted by', async () => {
  const claimed = (time: number) => `198.51.100.${time}`;
  assert.deepEqual(await oneTooMany(claimed, direct), COUNTED_TOGETHER);
});

test('all that is tried without a session counts together; other networks go on', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.30' };
  const browser = openBrowser(proxied);
  const token = 'x'.repeat(43);
  const calls: [string, object][] = [
    ['/auth/links', { email: 'no-one@example.com' }],
    ['/auth/links/look', { token }],
    ['/auth/links/use', { token }],
    ['/auth/sign-in', { email: 'no-one@example.com', password: 'x' }],
    ['/auth/links', { email: 'no-one@example.com' }],
  ];
  for (const [path, body] of calls) {
    const { status } = await browser.request('POST', path, { body, headers });
    assert.notEqual(status, 429, path);
  }
  for (const [path, body] of calls)
    assert.equal((await browser.request('POST', path, { body, headers })).status, 429, path);
  const user = await proxied.fixtures.user();
  await givePassword(proxied, user);
  const elsewhere = openBrowser(proxied);
  const signedIn = await elsewhere.request('POST', '/auth/sign-in', {
    body: { email: user.email, password: PASSWORD },
    headers: { 'x-forwarded-for': '2001:db8:3:3::9' },
  });
  assert.equal(signedIn.status, 200);
  const { body: sessions } = await elsewhere.request('GET', '/auth/sessions');
  assert.equal(sessions[0].network, '2001:db8:3:3::/64');
});
