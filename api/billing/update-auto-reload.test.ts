import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures.ts';
import { startHarness } from '../testing/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness({
  env: { TOP_UP_MIN: '2', TOP_UP_MAX: '500' },
});

const PERSONAL = '/api/billing/auto-reload';
const LIMITS = { threshold: '10.00', amount: '25.00', monthly_cap: '100.00' };

const put = (user: User, body: unknown, path = PERSONAL) =>
  request('PUT', path, { key: user.key, body });

async function person() {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  return { user, card, all: { enabled: true, ...LIMITS, payment_method_id: card } };
}

/** A workspace whose admin has switched auto-reload on with a card of their own. */
async function charged() {
  const [owner, admin] = [await fixtures.user(), await person()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin.user, 'admin');
  const path = `/api/organizations/${workspace}/billing/auto-reload`;
  assert.equal((await put(admin.user, admin.all, path)).status, 200);
  return { owner, admin, workspace, path };
}

const accountOf = async (user: { id: string }) =>
  (await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)).id;

const asked = async (user: User) =>
  (
    await db.many(sql`
      select from outbox where topic = 'auto_reload_due' and done_at is null and key = ${await accountOf(user)}`)
  ).length;

const items = (reply: { body: { detail: { type: string; loc: string[] }[] } }) =>
  reply.body.detail.map(({ type, loc }) => [type, loc.at(-1)]);

test('200: switching it on answers what is set, is audited, and has a worker look once it is committed', async () => {
  const { user, all } = await person();
  const reply = await put(user, all);
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.body, { ...all, charged_this_month: '0.00' });
  assert.equal((await request('GET', PERSONAL, { key: user.key })).text, reply.text);
  assert.equal(await asked(user), 1);
  const audit = await db.many(sql`
    select action, actor_user_id, before, after from audit_event where target_id = ${await accountOf(user)}`);
  const row = {
    action: 'auto_reload.update',
    actor_user_id: user.id,
    before: { enabled: false },
    after: all,
  };
  assert.deepEqual(audit, [row]);
  assert.deepEqual(await db.many(sql`select from top_up where user_id = ${user.id}`), []);
});

test('200: a field left out keeps its value; it may be prepared while off, piece by piece', async () => {
  const { user, card } = await person();
  await put(user, { threshold: 7.5 });
  await put(user, { amount: '30', monthly_cap: 60 });
  const reply = await put(user, { payment_method_id: card });
  assert.deepEqual(reply.body, {
    enabled: false,
    threshold: '7.50',
    amount: '30.00',
    monthly_cap: '60.00',
    payment_method_id: card,
    charged_this_month: '0.00',
  });
  assert.equal(await asked(user), 0);
  assert.equal((await put(user, { enabled: true })).body.enabled, true);
  assert.equal((await put(user, { threshold: '8.00' })).body.threshold, '8.00');
  assert.deepEqual((await put(user, { enabled: false })).body.amount, '30.00');
});

test('200: {} and what it is already write nothing, also sent back whole', async () => {
  const { user, all } = await person();
  const empty = await unchanged(() => put(user, {}));
  assert.deepEqual(empty.body, { enabled: false, charged_this_month: '0.00' });
  await unchanged(() => put(user, { enabled: false }));
  const { body } = await put(user, all);
  for (const same of [
    {},
    all,
    { ...body, paused_reason: null, last_charged_at: 1, charged_this_month: '9' },
  ]) {
    assert.deepEqual((await unchanged(() => put(user, same))).body, body);
  }
});

test('200: another card resumes it, the same card saved again does not', async () => {
  const { user, card, all } = await person();
  const [again, other] = [await fixtures.card(user), await fixtures.card(user)];
  await db.many(sql`
    update payment_method set fingerprint = case when id = ${other} then 'b' else 'a' end where user_id = ${user.id}`);
  await put(user, all);
  await db.many(
    sql`update auto_reload set paused_reason = 'declined' where payment_method_id = ${card}`,
  );
  assert.equal((await put(user, { enabled: false })).body.paused_reason, 'declined');
  assert.equal((await put(user, { enabled: true })).body.paused_reason, 'declined');
  assert.equal((await put(user, { payment_method_id: again })).body.paused_reason, 'declined');
  assert.equal((await put(user, { payment_method_id: other })).body.paused_reason, undefined);
});

test('200: an admin sets a workspace’s with a card of their own; another one can switch it off, or use theirs', async () => {
  const { owner, path } = await charged();
  assert.equal((await put(owner, { enabled: false, amount: '30' }, path)).body.enabled, false);
  const card = await fixtures.card(owner);
  const reply = await put(owner, { enabled: true, payment_method_id: card }, path);
  assert.deepEqual([reply.body.enabled, reply.body.payment_method_id], [true, card]);
});

test('race: first settings made at the same time all count', async () => {
  const { user, card } = await person();
  const parts = [
    { threshold: '10' },
    { amount: '25' },
    { monthly_cap: '50' },
    { payment_method_id: card },
  ];
  const replies = await Promise.all(parts.map((part) => put(user, part)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal((await put(user, { enabled: true })).status, 200);
});

test('403: somebody else’s card, and keeping somebody else’s card charged, change nothing', async () => {
  const { user, all } = await person();
  const foreign = await fixtures.card(await fixtures.user());
  const { owner, admin, path } = await charged();
  for (const reply of [
    await unchanged(() => put(user, { ...all, payment_method_id: foreign })),
    await unchanged(() => put(user, { payment_method_id: foreign })),
    await unchanged(() => put(owner, { monthly_cap: '500.00' }, path)),
    await unchanged(() => put(owner, { ...admin.all, threshold: '20' }, path)),
  ])
    assert.deepEqual([reply.status, reply.body.code], [403, 'payment_method_forbidden']);
});

test('403 and 404: members, viewers and strangers may not; an unknown workspace and an unknown card', async () => {
  const { owner, workspace, path } = await charged();
  const others = [await fixtures.user(), await fixtures.user(), await fixtures.user()] as const;
  await fixtures.member(workspace, others[0], 'member');
  await fixtures.member(workspace, others[1], 'viewer');
  for (const user of others) {
    const reply = await unchanged(() => put(user, { enabled: false }, path));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
  const nowhere = `/api/organizations/${randomUUID()}/billing/auto-reload`;
  assert.equal((await unchanged(() => put(owner, { enabled: false }, nowhere))).status, 404);
  const reply = await unchanged(() => put(owner, { payment_method_id: 'pm_unknown0000000' }, path));
  assert.deepEqual([reply.status, reply.body.code], [404, 'payment_method_not_found']);
});

test('422: switching it on without what it needs names every missing field', async () => {
  const { user, all } = await person();
  const reply = await unchanged(() => put(user, { enabled: true }));
  assert.equal(reply.status, 422);
  assert.deepEqual(items(reply), [
    ['missing', 'threshold'],
    ['missing', 'amount'],
    ['missing', 'monthly_cap'],
    ['missing', 'payment_method_id'],
  ]);
  const { monthly_cap, ...rest } = all;
  assert.deepEqual(items(await unchanged(() => put(user, rest))), [['missing', 'monthly_cap']]);
});

test('422: a removed card, and a cap below one charge', async () => {
  const { user, all } = await person();
  const removed = await fixtures.card(user);
  await db.many(sql`update payment_method set detached_at = now() where id = ${removed}`);
  const gone = await unchanged(() => put(user, { ...all, payment_method_id: removed }));
  assert.deepEqual(items(gone), [['payment_method_detached', 'payment_method_id']]);
  const low = await unchanged(() => put(user, { ...all, monthly_cap: '24.99' }));
  assert.deepEqual(items(low), [['monthly_cap_below_amount', 'monthly_cap']]);
  assert.equal(low.body.detail[0].input, '24.99');
  await put(user, all);
  assert.equal((await unchanged(() => put(user, { amount: '100.01' }))).status, 422);
  assert.equal((await put(user, { amount: '100' })).status, 200);
});

test('422: null, other types, unknown fields, more than cents and amounts out of bounds', async () => {
  const { user } = await person();
  const nulls = {
    enabled: null,
    threshold: null,
    amount: null,
    monthly_cap: null,
    payment_method_id: null,
  };
  const bodies: [unknown, string[]][] = [
    [nulls, ['bool_type', 'decimal_type', 'decimal_type', 'decimal_type', 'string_type']],
    [{ enabled: 'true', treshold: '1' }, ['bool_type', 'extra_forbidden']],
    [{ threshold: '0', amount: '1.99' }, ['greater_than_equal', 'greater_than_equal']],
    [{ threshold: '500.01', amount: 500.01 }, ['less_than_equal', 'less_than_equal']],
    [{ threshold: '1.001', monthly_cap: '2000000' }, ['decimal_max_places', 'less_than_equal']],
  ];
  for (const [body, types] of bodies) {
    const reply = await unchanged(() => put(user, body));
    assert.equal(reply.status, 422);
    assert.deepEqual(
      items(reply).map(([type]) => type),
      types,
    );
  }
});
