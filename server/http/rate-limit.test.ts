import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from '../db/sql.ts';
import { mintKey } from '../identity/keys/key.ts';
import { readConfig } from '../platform/config/config.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness({
  env: {
    RATE_LIMIT_PER_MINUTE: '8',
    RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '3',
    RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '5',
  },
});

const list = `/api/projects/${randomUUID()}/people`;

test('429 per user, whichever key is used, with headers that count down and a whole Retry-After', async () => {
  const [user, other] = [await fixtures.user(), await fixtures.user()];
  for (let left = 7; left >= 0; left--) {
    const reply = await request('GET', list, { key: user.key });
    assert.equal(reply.status, 404);
    assert.equal(reply.headers.get('ratelimit-policy'), '"user";q=8;w=60');
    assert.match(reply.headers.get('ratelimit') as string, new RegExp(`^"user";r=${left};t=\\d+$`));
  }
  const reply = await request('GET', list, { key: user.key });
  assert.deepEqual([reply.status, reply.body.code], [429, 'rate_limited']);
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
  assert.match(reply.headers.get('ratelimit') as string, /^"user";r=0;t=\d+$/);
  assert.equal(
    (await request('GET', '/api/organizations/nope/invitations', { key: user.key })).status,
    429,
    'before validation',
  );
  assert.equal(
    (await request('GET', list, { key: other.key })).status,
    404,
    'no one else pays for it',
  );
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${user.id}`);
  assert.equal(
    (await request('GET', list, { key: user.key })).status,
    401,
    'a dead key is told so, limit or not',
  );
});

test('429 for add-funds has its own, stricter count, and nothing is charged', async () => {
  const user = await fixtures.user();
  const add = () =>
    request('POST', '/api/billing/add-funds', {
      key: user.key,
      body: { amount: 1, payment_method_id: 'none' },
    });
  for (let i = 0; i < 3; i++) assert.equal((await add()).status, 404);
  const reply = await unchanged(add);
  assert.equal(reply.status, 429);
  assert.equal(reply.headers.get('ratelimit-policy'), '"user";q=8;w=60, "add-funds";q=3;w=60');
  assert.match(reply.headers.get('ratelimit') as string, /"user";r=4;t=\d+, "add-funds";r=0;t=\d+/);
  assert.equal((await request('GET', list, { key: user.key })).status, 404);
});

test('429 for failed authentication counts per address; a good key from the same address still works', async () => {
  const user = await fixtures.user();
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++)
    statuses.push((await request('GET', list, { key: i % 2 ? mintKey() : 'bad' })).status);
  assert.deepEqual(statuses.slice(-3), [429, 429, 429]);
  assert.ok(statuses.includes(401));
  const refused = await request('GET', list);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('ratelimit-policy'), '"failed-auth";q=5;w=60');
  assert.ok(refused.headers.get('retry-after'));
  assert.equal((await request('GET', list, { key: user.key })).status, 404);
  assert.ok(
    (await request('GET', '/nowhere')).headers.get('ratelimit'),
    'every answer has the headers',
  );
});

test('a shared store that is down never stops requests: the process counts for itself', async () => {
  const { rateLimits } = await import('./rate-limit.ts');
  const told: (Error | undefined)[] = [];
  const limits = await rateLimits(
    { ...readConfig({}).rateLimits, user: 2 },
    'redis://127.0.0.1:1',
    (error) => told.push(error),
  );
  const headers = {};
  await limits.take('user', 'u', headers);
  await limits.take('user', 'u', {});
  await assert.rejects(limits.take('user', 'u', {}), { status: 429 });
  await limits.show('user', 'u', {});
  assert.ok('ratelimit' in headers);
  while (told.length === 0) await setTimeout(5);
  await setTimeout(200); // time for it to be tried again
  assert.equal(told.length, 1);
  assert.match(told[0]?.message ?? '', /ECONNREFUSED/);
  await limits.close();
});
