import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness({
  env: { TOP_UP_MIN: '2', TOP_UP_MAX: '500' },
});

const PERSONAL = '/api/billing/auto-reload';
const LIMITS = { threshold: '10.00', amount: '25.00', monthly_cap: '100.00' };

const put = (user: User, body: unknown, headers: Record<string, string> = {}) =>
  request('PUT', PERSONAL, { key: user.key, body, headers });

async function person() {
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  return { user, card, all: { enabled: true, ...LIMITS, payment_method_id: card } };
}

const accountOf = async (user: { id: string }) =>
  (await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)).id;

const asked = async (user: User) =>
  (
    await db.many(sql`
      select from outbox where topic = 'auto_reload_due' and done_at is null
        and key = ${await accountOf(user)}`)
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
    select action, actor_user_id, before, after from audit_event
      where target_id = ${await accountOf(user)}`);
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
    update payment_method set fingerprint = case when id = ${other} then 'b' else 'a' end
      where user_id = ${user.id}`);
  await put(user, all);
  await db.many(
    sql`update auto_reload set paused_reason = 'declined' where payment_method_id = ${card}`,
  );
  assert.equal((await put(user, { enabled: false })).body.paused_reason, 'declined');
  assert.equal((await put(user, { enabled: true })).body.paused_reason, 'declined');
  assert.equal((await put(user, { payment_method_id: again })).body.paused_reason, 'declined');
  assert.equal((await put(user, { payment_method_id: other })).body.paused_reason, undefined);
});

test('200: GET and PUT carry an ETag that changes with the settings, and If-Match takes it', async () => {
  const { user, all } = await person();
  const tag = async () => (await request('GET', PERSONAL, { key: user.key })).headers.get('etag');
  const unset = await tag();
  assert.match(unset ?? '', /^"\d+"$/);
  const first = await put(user, all, { 'if-match': unset as string });
  assert.equal(first.status, 200);
  assert.notEqual(first.headers.get('etag'), unset);
  assert.equal(await tag(), first.headers.get('etag'));
  const same = await put(user, {}, { 'if-match': '*' });
  assert.equal(same.headers.get('etag'), first.headers.get('etag'));
  const list = `"1", ${first.headers.get('etag')}`;
  const second = await put(user, { amount: '26' }, { 'if-match': list });
  assert.equal(second.status, 200);
  assert.notEqual(second.headers.get('etag'), first.headers.get('etag'));
  await db.many(sql`
    update auto_reload set looked_at = now() where account_id = ${await accountOf(user)}`);
  assert.equal(await tag(), second.headers.get('etag'));
});

test('412: a stale, weak or malformed If-Match changes nothing, not even when nothing would change', async () => {
  const { user, all } = await person();
  const stale = (await put(user, all)).headers.get('etag') as string;
  const current = (await put(user, { amount: '26' })).headers.get('etag') as string;
  for (const ifMatch of [stale, `W/${current}`, current.slice(1, -1), '"0"', '']) {
    for (const body of [{ amount: '27' }, { enabled: false }, {}]) {
      const reply = await unchanged(() => put(user, body, { 'if-match': ifMatch }));
      assert.deepEqual([reply.status, reply.body.code], [412, 'auto_reload_changed'], ifMatch);
    }
  }
});

test('race: of two changes of what was read once, one is made and the other is a 412', async () => {
  const { user, all } = await person();
  for (let round = 0; round < 20; round++) {
    const read = await request('GET', PERSONAL, { key: user.key });
    const headers = { 'if-match': read.headers.get('etag') as string };
    const amounts = [`${30 + round}.00`, `${60 + round}.00`];
    const replies = await Promise.all(
      amounts.map((amount) => put(user, { ...all, amount }, headers)),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412]);
    const won = amounts[replies.findIndex(({ status }) => status === 200)];
    assert.equal((await request('GET', PERSONAL, { key: user.key })).body.amount, won);
  }
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

test('403 and 404: a card of another person, and an unknown one, change nothing', async () => {
  const { user, all } = await person();
  const foreign = await fixtures.card(await fixtures.user());
  for (const body of [
    { ...all, payment_method_id: foreign },
    { payment_method_id: foreign },
    { enabled: false, payment_method_id: foreign },
  ]) {
    const reply = await unchanged(() => put(user, body));
    assert.deepEqual([reply.status, reply.body.code], [403, 'payment_method_forbidden']);
  }
  const reply = await unchanged(() => put(user, { payment_method_id: 'pm_unknown0000000' }));
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
  for (const { input } of reply.body.detail) assert.deepEqual(input, { enabled: true });
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
