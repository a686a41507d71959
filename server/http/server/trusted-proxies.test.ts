import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';

// Refused credentials are counted per address: whose address it is must not be the caller's to say.

const LIMIT = { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '3' };
const alone = await startHarness({ env: LIMIT });
const behind = await startHarness({
  env: { ...LIMIT, TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32' },
});

type Harness = typeof alone;
const path = `/api/projects/${randomUUID()}/people`;
const statusOf = async ({ request }: Harness, forwarded: string) =>
  (await request('GET', path, { headers: { 'x-forwarded-for': forwarded } })).status;

/** Uses up what `forwarded` may be refused. */
const useUp = async (server: Harness, forwarded: string) => {
  for (let i = 0; i < 3; i++) assert.equal(await statusOf(server, forwarded), 401, forwarded);
  assert.equal(await statusOf(server, forwarded), 429, forwarded);
};

test('without a trusted proxy X-Forwarded-For says nothing: another address in it is no new count', async () => {
  await useUp(alone, '203.0.113.1');
  for (const other of ['203.0.113.2', '10.0.0.1', '127.0.0.1', '::1', 'nonsense'])
    assert.equal(await statusOf(alone, other), 429, other);
});

test('behind trusted proxies the right-most address that is none of them counts, whatever stands before it', async () => {
  await useUp(behind, '203.0.113.1');
  assert.equal(await statusOf(behind, '203.0.113.2'), 401, 'nobody else pays for it');
  for (const spoofed of [
    '198.51.100.7, 203.0.113.1',
    '10.1.1.1, 203.0.113.1, 10.9.9.9',
    'nonsense,203.0.113.1 ,  10.0.0.1',
    '203.0.113.1, 2001:db8::7, 127.0.0.1',
    `${'1.1.1.1, '.repeat(200)}203.0.113.1`,
  ])
    assert.equal(await statusOf(behind, spoofed), 429, spoofed);
  // 11.0.0.1 is no proxy of ours, so what it says of others is not believed.
  await useUp(behind, '203.0.113.9, 11.0.0.1');
  assert.equal(await statusOf(behind, '203.0.113.10, 11.0.0.1'), 429);
});

test('IPv6 addresses of one /64 network share a count', async () => {
  await useUp(behind, '2001:470:1:2::1');
  for (const neighbour of ['2001:470:1:2::2', '2001:470:1:2:ffff:ffff:ffff:ffff'])
    assert.equal(await statusOf(behind, neighbour), 429, neighbour);
  assert.equal(await statusOf(behind, '2001:470:1:3::1'), 401, 'another network');
});

test('no other header of a proxy changes an answer', async () => {
  const user = await behind.fixtures.user();
  const workspace = await behind.fixtures.workspace(user);
  for (let i = 0; i < 2; i++) await behind.fixtures.invitation(workspace);
  const list = `/api/organizations/${workspace}/invitations?limit=1`;
  const headers = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    forwarded: 'for=6.6.6.6',
  };
  const [plain, spoofed] = [
    await behind.request('GET', list, { key: user.key }),
    await behind.request('GET', list, { key: user.key, headers }),
  ];
  assert.deepEqual([spoofed.status, spoofed.text], [200, plain.text]);
  assert.equal(spoofed.headers.get('link'), plain.headers.get('link'));
});
