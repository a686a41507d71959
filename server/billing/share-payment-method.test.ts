import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant(options: { require2fa?: boolean } = {}) {
  const owner = await fixtures.user({ twoFactor: true });
  const workspace = await fixtures.workspace(owner, options);
  const base = `/api/organizations/${workspace}`;
  const path = (id: string) => `${base}/billing/payment-methods/${id}`;
  const join = async (role: string) => {
    const user = await fixtures.user({ twoFactor: true });
    await fixtures.member(workspace, user, role);
    return user;
  };
  return {
    owner,
    workspace,
    base,
    join,
    share: (by: User, id: string) => request('PUT', path(id), { key: by.key }),
    unshare: (by: User, id: string) => request('DELETE', path(id), { key: by.key }),
    shared: async (by: User = owner) =>
      (await request('GET', `${base}/billing/payment-methods`, { key: by.key })).body.map(
        ({ id }: { id: string }) => id,
      ),
    as: (by: User, method: string, rest: string, body?: object) =>
      request(method, `${base}${rest}`, { key: by.key, ...(body && { body }) }),
  };
}

test('200: owner and admins share their own cards, see those of each other, and end it themselves', async () => {
  const { owner, workspace, join, share, unshare, shared } = await tenant();
  const admin = await join(await fixtures.role(workspace, { actsAs: 'admin' }));
  const [first, second] = [await fixtures.card(owner), await fixtures.card(admin)];
  const reply = await share(owner, first);
  assert.deepEqual([reply.status, reply.body.user_id, reply.body.last4], [200, owner.id, '4242']);
  await share(admin, second);
  const again = await share(admin, second);
  assert.equal(again.status, 200);
  assert.deepEqual(
    [await shared(), await shared(admin)],
    [
      [second, first],
      [second, first],
    ],
  );
  const [own] = (await request('GET', '/api/billing/payment-methods', { key: admin.key })).body;
  assert.deepEqual(own.shared_with, [workspace]);
  for (let i = 0; i < 2; i++) assert.equal((await unshare(admin, second)).status, 204);
  assert.deepEqual(await shared(), [first]);
  const events = await db.many<{ action: string }>(sql`
    select action from audit_event where target_id = ${second} order by occurred_at`);
  assert.deepEqual(
    events.map(({ action }) => action),
    ['payment_method.share', 'payment_method.unshare'],
  );
});

test('403 and 404: no one shares, ends or charges another person’s card', async () => {
  const { owner, join, share, unshare, shared, as } = await tenant();
  const [admin, member, viewer, stranger] = [
    await join('admin'),
    await join('member'),
    await join('viewer'),
    await fixtures.user({ twoFactor: true }),
  ];
  const card = await fixtures.card(owner);
  await share(owner, card);
  for (const by of [member, viewer, stranger]) {
    const own = await fixtures.card(by);
    for (const id of [own, card])
      for (const act of [share, unshare]) {
        const reply = await unchanged(() => act(by, id));
        assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
      }
    const list = await as(by, 'GET', '/billing/payment-methods');
    assert.equal(list.status, 403);
  }
  for (const act of [share, unshare])
    assert.equal((await unchanged(() => act(admin, card))).status, 404);
  const body = { amount: 10, payment_method_id: card };
  const charges = [
    as(admin, 'POST', '/billing/add-funds', body),
    request('POST', '/api/billing/add-funds', { key: admin.key, body }),
  ];
  for (const reply of await Promise.all(charges))
    assert.deepEqual([reply.status, reply.body.code], [403, 'payment_method_forbidden']);
  const figures = { enabled: true, threshold: 1, amount: 5, monthly_cap: 50 };
  const reload = await as(admin, 'PUT', '/billing/auto-reload', {
    ...figures,
    payment_method_id: card,
  });
  assert.deepEqual([reload.status, reload.body.code], [403, 'payment_method_forbidden']);
  for (const method of ['DELETE', 'PUT']) {
    const rest = method === 'PUT' ? '/default' : '';
    const path = `/api/billing/payment-methods/${card}${rest}`;
    assert.equal((await request(method, path, { key: admin.key })).status, 403);
  }
  assert.deepEqual(await shared(), [card]);
});

test('a share ends when its person leaves, is removed, loses the role, or removes the card, and does not return', async () => {
  const { owner, workspace, join, share, shared, as } = await tenant();
  const role = await fixtures.role(workspace, { actsAs: 'admin' });
  const ends: [string, string, (who: User, card: string) => Promise<{ status: number }>][] = [
    ['leaves', 'admin', (who) => as(who, 'POST', '/leave')],
    ['is removed', 'admin', (who) => as(owner, 'DELETE', `/members/${who.id}`)],
    [
      'gets another role',
      'admin',
      (who) => as(owner, 'PUT', `/members/${who.id}`, { role: 'member' }),
    ],
    [
      'has a role that changes',
      role,
      () => as(owner, 'PUT', `/roles/${role}`, { acts_as: 'viewer' }),
    ],
    [
      'removes the card',
      'admin',
      (who, card) => request('DELETE', `/api/billing/payment-methods/${card}`, { key: who.key }),
    ],
  ];
  for (const [what, as_, end] of ends) {
    const who = await join(as_);
    const card = await fixtures.card(who);
    assert.equal((await share(who, card)).status, 200);
    assert.deepEqual(await shared(), [card]);
    const { status } = await end(who, card);
    assert.ok(status < 300, `${what}: ${status}`);
    assert.deepEqual(await shared(), [], what);
    if (what === 'gets another role') {
      await as(owner, 'PUT', `/members/${who.id}`, { role: 'admin' });
      assert.deepEqual(await shared(), [], 'the role alone does not share it again');
    }
  }
});

test('a new owner and the previous one keep what they share', async () => {
  const { owner, join, share, shared, as } = await tenant();
  const admin = await join('admin');
  const cards = [await fixtures.card(owner), await fixtures.card(admin)];
  await share(owner, cards[0] as string);
  await share(admin, cards[1] as string);
  const body = { new_owner_user_id: admin.id };
  assert.equal((await as(owner, 'POST', '/transfer-ownership', body)).status, 200);
  assert.deepEqual((await shared(admin)).sort(), cards.sort());
});

test('204: ending a share switches auto-reload off that charges the card, and no other', async () => {
  const { owner, workspace, share, unshare, as } = await tenant();
  const [card, other] = [await fixtures.card(owner), await fixtures.card(owner)];
  await share(owner, card);
  await share(owner, other);
  const figures = { threshold: 1, amount: 5, monthly_cap: 50, payment_method_id: card };
  await as(owner, 'PUT', '/billing/auto-reload', { enabled: true, ...figures });
  const enabled = async () => (await as(owner, 'GET', '/billing/auto-reload')).body.enabled;
  await unshare(owner, other);
  assert.equal(await enabled(), true);
  await unshare(owner, card);
  assert.equal(await enabled(), false);
  const rows = await db.many<{ actor: string }>(sql`
    select actor_user_id as actor from audit_event
     where organization_id = ${workspace} and action = 'auto_reload.switch_off'`);
  assert.deepEqual(rows, [{ actor: owner.id }]);
});

test('race: of a share and the removal of the card, or of its person, none leaves the card shared', async () => {
  for (let round = 0; round < 6; round++) {
    const { owner, join, share, shared, as } = await tenant();
    const admin = await join('admin');
    const card = await fixtures.card(admin);
    await Promise.all([
      share(admin, card),
      round % 2 === 0
        ? request('DELETE', `/api/billing/payment-methods/${card}`, { key: admin.key })
        : as(owner, 'PUT', `/members/${admin.id}`, { role: 'viewer' }),
    ]);
    assert.deepEqual(await shared(), []);
  }
});
