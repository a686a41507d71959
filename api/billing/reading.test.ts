import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness.ts';

const { fixtures, request, db, unchanged, owner: asOwner } = await startHarness();

async function tenant() {
  const [owner, admin, member] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner, { balance: '12.50' });
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  return { owner, admin, member, workspace, path: `/api/organizations/${workspace}/billing` };
}

test('balance: decimal strings; held money is not available, a debt or a frozen account leaves nothing to spend', async () => {
  const user = await fixtures.user();
  const read = async () => (await request('GET', '/api/billing/balance', { key: user.key })).body;
  assert.deepEqual(await read(), {
    balance: '0.00',
    held: '0.00',
    available: '0.00',
    status: 'active',
  });
  await fixtures.fund({ userId: user.id }, '10.123456');
  await asOwner(sql`update billing_account set held = 123456 where user_id = ${user.id}`);
  assert.deepEqual(await read(), {
    balance: '10.123456',
    held: '0.123456',
    available: '10.00',
    status: 'active',
  });
  await fixtures.fund({ userId: user.id }, '-11.00');
  assert.deepEqual(await read(), {
    balance: '-0.876544',
    held: '0.123456',
    available: '0.00',
    status: 'frozen',
  });
  await fixtures.fund({ userId: user.id }, '20.00');
  await asOwner(
    sql`update billing_account set status = 'frozen', held = 0 where user_id = ${user.id}`,
  );
  assert.equal((await read()).available, '0.00');
});

test('workspace balance: owner and admin see it, nobody else does', async () => {
  const { owner, admin, member, path } = await tenant();
  for (const { key } of [owner, admin]) {
    assert.equal((await request('GET', `${path}/balance`, { key })).body.balance, '12.50');
  }
  for (const { key } of [member, await fixtures.user()]) {
    assert.equal((await request('GET', `${path}/balance`, { key })).status, 403);
  }
  const missing = `/api/organizations/${randomUUID()}/billing/balance`;
  assert.equal((await request('GET', missing, { key: owner.key })).status, 404);
});

test('workspace add-funds: an admin charges their own card for the workspace; members and other people’s cards are refused', async () => {
  const { owner, admin, member, workspace, path } = await tenant();
  const body = { amount: '7.50', payment_method_id: await fixtures.card(admin) };
  const reply = await request('POST', `${path}/add-funds`, { key: admin.key, body });
  assert.deepEqual([reply.status, reply.body.new_balance], [200, 20]);
  assert.equal(await fixtures.balance({ organizationId: workspace }), 20_000_000n);
  assert.equal(await fixtures.balance({ userId: admin.id }), 0n);
  const foreign = await unchanged(() =>
    request('POST', `${path}/add-funds`, { key: owner.key, body }),
  );
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'payment_method_forbidden']);
  const refused = await unchanged(() =>
    request('POST', `${path}/add-funds`, { key: member.key, body: { ...body, amount: 1 } }),
  );
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
});

test('race: delete against add-funds of the workspace: the money is with its heir, in the workspace, or was never charged', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, workspace, path } = await tenant();
    const body = { amount: 5, payment_method_id: await fixtures.card(owner) };
    const [added, gone] = await Promise.all([
      request('POST', `${path}/add-funds`, { key: owner.key, body }),
      request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
    ]);
    const left =
      gone.status === 200
        ? await fixtures.balance({ userId: owner.id })
        : await fixtures.balance({ organizationId: workspace });
    assert.ok([200, 404].includes(added.status), added.text);
    assert.ok([200, 409].includes(gone.status), gone.text);
    assert.equal(left, added.status === 200 ? 17_500_000n : 12_500_000n);
  }
});

test('cards: the caller’s own, newest first, without the removed ones and without the processor’s name', async () => {
  const user = await fixtures.user();
  const [first, second, gone] = [
    await fixtures.card(user),
    await fixtures.card(user),
    await fixtures.card(user),
  ];
  await fixtures.card(await fixtures.user());
  await db.many(sql`update payment_method set detached_at = now() where id = ${gone}`);
  const { body, text } = await request('GET', '/api/billing/payment-methods', { key: user.key });
  assert.deepEqual(
    body.map(({ id }: { id: string }) => id),
    [second, first],
  );
  assert.deepEqual(Object.keys(body[0]).sort(), ['brand', 'created_at', 'id', 'last4']);
  assert.ok(!text.includes('pm_card_visa'));
});

test('transactions: newest first, signed, each with the balance after it; pages are the whole list', async () => {
  const user = await fixtures.user();
  for (const amount of ['10.00', '-2.50', '0.000001'])
    await fixtures.fund({ userId: user.id }, amount);
  const whole = (await request('GET', '/api/billing/transactions', { key: user.key })).body;
  assert.deepEqual(
    whole.map(({ kind, amount, balance }: Record<string, string>) => [kind, amount, balance]),
    [
      ['promotion', '0.000001', '7.500001'],
      ['usage', '-2.50', '7.50'],
      ['promotion', '10.00', '10.00'],
    ],
  );
  const pages: unknown[] = [];
  let next: string | undefined = '/api/billing/transactions?limit=2';
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof request>> = await request('GET', next, { key: user.key });
    pages.push(...page.body);
    next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});
