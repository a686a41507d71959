import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const get = (key: string) => request('GET', '/api/account', { key });
const put = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  request('PUT', '/api/account', { key, body, headers });

test('200: the person behind the key, with an ETag', async () => {
  const user = await fixtures.user({ name: 'Ada', twoFactor: true });
  const { status, body, headers } = await get(user.key);
  const { created_at, updated_at, ...rest } = body;
  assert.equal(status, 200);
  assert.deepEqual(rest, {
    id: user.id,
    email: user.email,
    name: 'Ada',
    mail_warnings: true,
    two_factor_enabled: true,
  });
  assert.ok(updated_at >= created_at);
  assert.match(headers.get('etag') ?? '', /^"\d+"$/);
});

test('200: an account without a name has no such field', async () => {
  const { key } = await fixtures.user({ name: null });
  const { body } = await get(key);
  assert.ok(!('name' in body));
});

const wanted = { mail_warnings: true };

test('200: the name is trimmed and composed; null removes it; all of it is in the audit trail', async () => {
  const user = await fixtures.user({ name: 'Old' });
  const before = await get(user.key);
  const renamed = await put(user.key, { name: ' Zoe\u0301 ' });
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Zo\u00e9']);
  assert.notEqual(renamed.headers.get('etag'), before.headers.get('etag'));
  assert.deepEqual((await get(user.key)).body, renamed.body);
  const removed = await put(user.key, { name: null });
  assert.ok(!('name' in removed.body));
  const trail = await db.many(sql`
    select action, actor_user_id, before, after from audit_event
     where target_id = ${user.id} order by occurred_at`);
  assert.deepEqual(trail, [
    {
      action: 'account.update',
      actor_user_id: user.id,
      before: { name: 'Old', ...wanted },
      after: { name: 'Zo\u00e9', ...wanted },
    },
    {
      action: 'account.update',
      actor_user_id: user.id,
      before: { name: 'Zo\u00e9', ...wanted },
      after: { name: null, ...wanted },
    },
  ]);
});

test('200: what was read may be sent back; nothing but the name changes', async () => {
  const user = await fixtures.user({ name: 'Ada' });
  const { body } = await get(user.key);
  const forged = {
    id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    email: 'x@y.zz',
    two_factor_enabled: true,
    created_at: 'never',
    updated_at: 7,
  };
  await unchanged(async () => {
    assert.deepEqual((await put(user.key, body)).body, body);
    assert.deepEqual((await put(user.key, { ...forged, name: 'Ada' })).body, body);
    assert.deepEqual((await put(user.key, {})).body, body);
  });
  assert.deepEqual((await put(user.key, { ...forged, name: 'Eve' })).body, {
    ...body,
    name: 'Eve',
    updated_at: (await get(user.key)).body.updated_at,
  });
});

test('200: a name from an import that breaks the rule for names is shown, and stays until it is replaced', async () => {
  const user = await fixtures.user({ name: 'Ada\u200b\u202e' });
  const { body } = await get(user.key);
  assert.equal(body.name, 'Ada\u200b\u202e');
  assert.deepEqual((await put(user.key, {})).body, body);
  const sentBack = await unchanged(() => put(user.key, body));
  assert.deepEqual([sentBack.status, sentBack.body.detail[0].type], [422, 'character_not_allowed']);
  assert.equal((await put(user.key, { name: 'Ada' })).body.name, 'Ada');
});

test('412: an ETag from before another person’s change; the current one works', async () => {
  const { key } = await fixtures.user();
  const stale = (await get(key)).headers.get('etag') ?? '';
  await put(key, { name: 'First' });
  const reply = await unchanged(() => put(key, { name: 'Second' }, { 'if-match': stale }));
  assert.deepEqual([reply.status, reply.body.code], [412, 'account_changed']);
  const fresh = (await get(key)).headers.get('etag') ?? '';
  assert.equal((await put(key, { name: 'Second' }, { 'if-match': fresh })).status, 200);
});

test('412: of ten updates that read the same account, one is made', async () => {
  const { key } = await fixtures.user();
  const etag = (await get(key)).headers.get('etag') ?? '';
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => put(key, { name: `N ${i}` }, { 'if-match': etag })),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(9).fill(412)]);
});

test('422: names that are empty, too long, invisible or no text; unknown fields', async () => {
  const { key } = await fixtures.user();
  for (const [body, type] of [
    [{ name: ' ' }, 'string_too_short'],
    [{ name: '🛠'.repeat(201) }, 'string_too_long'],
    [{ name: '\u200b' }, 'character_not_allowed'],
    [{ name: 7 }, 'string_type'],
    [{ nmae: 'Ada' }, 'extra_forbidden'],
    [{ is_active: true }, 'extra_forbidden'],
  ] as const) {
    const reply = await unchanged(() => put(key, body));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
  }
  assert.equal((await put(key, { name: '🛠'.repeat(200) })).status, 200);
});
