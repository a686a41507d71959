import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { isRepeatable, oldAnswers } from './idempotency.ts';

const { fixtures, request, db, unchanged, routes } = await startHarness({ own: true });

async function tenant() {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { balance: '3.00' });
  await fixtures.member(workspace, member);
  const team = await fixtures.team(workspace);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  const card = await fixtures.card(owner);
  return { owner, member, workspace, team, task, card };
}

const requests = (t: Awaited<ReturnType<typeof tenant>>): [string, string, unknown?][] => [
  ['PUT', `/api/organizations/${t.workspace}/teams/${t.team}`, { name: 'Once' }],
  ['POST', `/api/tasks/${t.task}/plan/approve`],
  ['POST', '/api/billing/add-funds', { amount: 5, payment_method_id: t.card }],
  [
    'POST',
    `/api/organizations/${t.workspace}/transfer-ownership`,
    { new_owner_user_id: t.member.id },
  ],
];

const withKey = (key: string) => ({ 'idempotency-key': key });

test('the same key and request get the first answer again, byte for byte, and nothing happens twice', async () => {
  const t = await tenant();
  for (const [method, path, body] of requests(t)) {
    const send = () =>
      request(method, path, { key: t.owner.key, body, headers: withKey(`again ${path}`) });
    const first = await send();
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const replay = await unchanged(send);
    assert.deepEqual([replay.status, replay.text], [200, first.text]);
    assert.equal(replay.headers.get('etag'), first.headers.get('etag'));
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  }
});

test('a deleted workspace answers its receipt again to the same key, and 404 without it', async () => {
  const { owner, workspace } = await tenant();
  const path = `/api/organizations/${workspace}`;
  const first = await request('DELETE', path, { key: owner.key, headers: withKey('bye') });
  const replay = await request('DELETE', path, { key: owner.key, headers: withKey('bye') });
  assert.equal(replay.text, first.text);
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 404);
});

test('refusals are replayed too; validation errors are not kept', async () => {
  const { owner, workspace } = await tenant();
  const path = `/api/organizations/${workspace}/transfer-ownership`;
  const send = (body: unknown) =>
    request('POST', path, { key: owner.key, body, headers: withKey('refused') });
  assert.equal((await send({})).status, 422);
  const first = await send({ new_owner_user_id: owner.id });
  const replay = await send({ new_owner_user_id: owner.id });
  assert.deepEqual(
    [replay.status, replay.text, replay.headers.get('idempotent-replayed')],
    [422, first.text, 'true'],
  );
});

test('409: the same key with another body, path, query, precondition or operation', async () => {
  const t = await tenant();
  const path = `/api/organizations/${t.workspace}/teams/${t.team}`;
  const headers = withKey('taken');
  assert.equal(
    (await request('PUT', path, { key: t.owner.key, body: { name: 'A' }, headers })).status,
    200,
  );
  const others: [string, string, unknown, object?][] = [
    ['PUT', path, { name: 'B' }],
    ['PUT', path, { name: 'A', can_create_projects: true }],
    [
      'PUT',
      `/api/organizations/${t.workspace}/teams/${await fixtures.team(t.workspace)}`,
      { name: 'A' },
    ],
    ['PUT', path, { name: 'A' }, { 'if-match': '*' }],
    ['POST', `/api/tasks/${t.task}/plan/approve`, undefined],
    [
      'DELETE',
      `/api/organizations/${t.workspace}?transfer_balance_to_user_id=${t.member.id}`,
      undefined,
    ],
  ];
  for (const [method, url, body, more] of others) {
    const reply = await unchanged(() =>
      request(method, url, { key: t.owner.key, body, headers: { ...headers, ...more } }),
    );
    assert.deepEqual(
      [reply.status, reply.body.code],
      [409, 'idempotency_key_reused'],
      `${method} ${url}`,
    );
  }
  // Spelling is not substance: the same values in another order and form are the same request.
  const same = await request('PUT', path, { key: t.owner.key, raw: ' {"name" : " A "}', headers });
  assert.equal(same.headers.get('idempotent-replayed'), 'true');
});

test('a key belongs to its user: another user may use the same text', async () => {
  const t = await tenant();
  await fixtures.member(t.workspace, await fixtures.user());
  const approve = (key: string) =>
    request('POST', `/api/tasks/${t.task}/plan/approve`, { key, headers: withKey('shared') });
  assert.equal((await approve(t.owner.key)).body.newly_approved, true);
  assert.equal((await approve(t.member.key)).body.newly_approved, false);
});

test('409 with Retry-After while the first still runs; after a crash the key may be used again', async () => {
  const t = await tenant();
  const path = `/api/tasks/${t.task}/plan/approve`;
  const send = () => request('POST', path, { key: t.owner.key, headers: withKey('crashed') });
  await send();
  // As a process leaves it that died between its claim and its answer.
  await db.many(
    sql`
      update idempotency_key set status = null, headers = null, body = null where key = 'crashed'`,
  );
  const running = await unchanged(send);
  assert.deepEqual([running.status, running.body.code], [409, 'idempotency_in_progress']);
  assert.equal(running.headers.get('retry-after'), '1');
  await db.many(
    sql`
      update idempotency_key set claimed_at = now() - interval '61 seconds' where key = 'crashed'`,
  );
  assert.equal((await send()).status, 200);
});

test('a key is kept for 30 days', async () => {
  const t = await tenant();
  const path = `/api/organizations/${t.workspace}/teams/${t.team}`;
  const send = (name: string) =>
    request('PUT', path, { key: t.owner.key, body: { name }, headers: withKey('month') });
  await send('One');
  await db.many(
    sql`update idempotency_key set claimed_at = now() - interval '29 days' where key = 'month'`,
  );
  assert.equal((await send('Two')).status, 409);
  await db.many(
    sql`update idempotency_key set claimed_at = now() - interval '31 days' where key = 'month'`,
  );
  assert.equal((await send('Two')).status, 200);
  await db.many(
    sql`update idempotency_key set claimed_at = now() - interval '31 days' where key = 'month'`,
  );
  await oldAnswers(30).remove(db);
  assert.deepEqual(await db.many(sql`select key from idempotency_key where key = 'month'`), []);
  assert.equal((await db.many(sql`select key from idempotency_key`)).length > 0, true);
});

test('422: a key that is empty, too long or not printable; reads ignore the header', async () => {
  const t = await tenant();
  for (const key of [' ', 'x'.repeat(256), 'caf\u00e9']) {
    const reply = await unchanged(() =>
      request('POST', `/api/tasks/${t.task}/plan/approve`, {
        key: t.owner.key,
        headers: withKey(key),
      }),
    );
    assert.deepEqual(
      [reply.status, reply.body.detail[0].type],
      [422, 'idempotency_key_invalid'],
      key,
    );
  }
  const list = await request('GET', `/api/organizations/${t.workspace}/invitations`, {
    key: t.owner.key,
    headers: withKey('x'.repeat(256)),
  });
  assert.equal(list.status, 200);
});

test('every route that answers a client secret lets its stored answer lose it', () => {
  const answering = routes.filter((route) =>
    Object.values(route.responses).some(
      ({ schema }) =>
        (schema as { properties?: object })?.properties &&
        'client_secret' in (schema as unknown as { properties: object }).properties,
    ),
  );
  assert.ok(answering.length >= 5, `${answering.length}`);
  for (const route of answering.filter(isRepeatable))
    assert.ok(route.brief?.includes('client_secret'), route.operationId);
});
