import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, openClient } from '../../testing/clients/sockets.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { createSignInLink } from './sign-in-link.ts';

const { db, fixtures, unchanged, url } = await startHarness({
  env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '5' },
});

const press = (token: string) =>
  fetch(`${url}/auth/links/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token }),
  });

test('429: links that do not work are failed authentications; one that works still does', async () => {
  const user = await fixtures.user();
  const { token } = await db.transaction((tx) => createSignInLink(tx, user.id));
  await unchanged(async () => {
    for (let left = 4; left >= 0; left--) {
      const reply = await press('x'.repeat(43));
      assert.equal(reply.status, 404);
      assert.match(reply.headers.get('ratelimit') ?? '', new RegExp(`"failed-auth";r=${left};`));
    }
    const refused = await press('x'.repeat(43));
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  });
  assert.equal((await press(token)).status, 200);
});

test('413, 408, 503: forms that are too large or do not come cost no one else a place', async () => {
  const large = await press('x'.repeat(5_000));
  assert.equal(large.status, 413);
  const head =
    'POST /auth/links/use HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nsec-fetch-site: same-origin\r\ncontent-length: 100\r\n\r\n';
  const silent: Client[] = [];
  for (let i = 0; i < 40; i++) silent.push(await openClient(url, { bytes: head }));
  await until('those in excess', () => silent.filter(({ text }) => text() !== '').length === 8);
  const user = await fixtures.user();
  const { token } = await db.transaction((tx) => createSignInLink(tx, user.id));
  assert.equal((await press(token)).status, 200);
  await until('all of them', () => silent.every(({ text }) => text() !== ''), 8_000);
  const statuses = silent.map(({ text }) => text().slice(9, 12));
  assert.deepEqual([...new Set(statuses)].sort(), ['408', '503']);
});
