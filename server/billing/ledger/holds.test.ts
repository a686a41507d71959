import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { spenders, usd } from '../../testing/fixtures/billing/spender.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness();
const { fixtures, db, unchanged, request } = harness;
const { spender, take, free, refused } = spenders(harness);

test('a hold reserves, a capture charges part of it and frees the rest, a release frees all', async () => {
  const { id, hold, account } = await spender('10.00');
  const [first, second] = [await hold('6.00'), await hold('4.00')];
  assert.deepEqual(await account(), {
    balance: usd('10.00'),
    held: usd('10.00'),
    status: 'active',
  });
  const captured = await take(first, '2.50');
  assert.deepEqual(
    [captured.status, captured.captured, captured.amount],
    ['captured', usd('2.5'), usd('6')],
  );
  assert.ok(captured.endedAt instanceof Date);
  assert.deepEqual(await account(), { balance: usd('7.50'), held: usd('4.00'), status: 'active' });
  assert.equal((await free(second)).status, 'released');
  assert.deepEqual(await account(), { balance: usd('7.50'), held: 0n, status: 'active' });
  const rows = await db.many(sql`
    select kind, amount, reference_type, reference_id from ledger_transfer
     where account_id = ${id} and idempotency_key = ${`hold:${first.id}:capture`}`);
  const row = {
    kind: 'usage',
    amount: usd('2.50'),
    reference_type: 'hold',
    reference_id: first.id,
  };
  assert.deepEqual(rows, [row]);
});

test('repeating is safe: the same key is the same hold, an ended hold answers as it ended', async () => {
  const { hold } = await spender('10.00');
  const first = await hold('10.00', 'again');
  const second = await spender('10.00').then((other) => other.hold('1.00'));
  await unchanged(async () => assert.deepEqual(await hold('10.00', 'again'), first));
  const captured = await take(first, '10.00');
  const released = await free(second);
  await unchanged(async () => {
    assert.deepEqual(await take(first, '10.00'), captured);
    assert.deepEqual(await free(second), released);
    assert.deepEqual(await hold('10.00', 'again'), captured);
  });
});

test('402: what is not free cannot be held, by a microdollar, and nothing changes', async () => {
  const { hold, account } = await spender('10.00');
  const first = await hold('4.00');
  await refused('insufficient_funds', () => hold('6.000001'));
  await hold('6.00');
  await refused('insufficient_funds', () => hold('0.000001'));
  await free(first);
  await hold('4.00');
  assert.equal((await account()).held, usd('10.00'));
  const empty = await spender('0.00');
  await refused('insufficient_funds', () => empty.hold('0.01'));
});

test('402: a debt freezes spending until it is repaid; what was held before is still captured', async () => {
  const { user, hold, fund, account } = await spender('10.00');
  const before = await hold('8.00');
  await fund('-10.01');
  assert.deepEqual(await account(), { balance: usd('-0.01'), held: usd('8.00'), status: 'frozen' });
  await refused('account_not_active', () => hold('0.01'));
  await take(before, '8.00');
  assert.deepEqual(await account(), { balance: usd('-8.01'), held: 0n, status: 'frozen' });
  await fund('8.00');
  assert.equal((await account()).status, 'frozen');
  const { body } = await request('GET', '/api/billing/balance', { key: user.key });
  assert.deepEqual(body, { balance: '-0.01', held: '0.00', available: '0.00', status: 'frozen' });
  await fund('0.01');
  assert.deepEqual(await account(), { balance: 0n, held: 0n, status: 'active' });
  await fund('1.00');
  await hold('1.00');
});

test('402: an account that was frozen without a debt is not opened by a payment', async () => {
  const { id, hold, fund, account } = await spender('1.00');
  await db.many(sql`update billing_account set status = 'frozen' where id = ${id}`);
  await fund('5.00');
  assert.equal((await account()).status, 'frozen');
  await refused('account_not_active', () => hold('1.00'));
});

test('402, 404, 409: a closed account, an unknown hold, another amount, another end, a key used again', async () => {
  const person = await fixtures.user();
  const workspace = await fixtures.workspace(person, { balance: '5.00' });
  const { id: closed } = await db.one<{ id: string }>(
    sql`select id from billing_account where organization_id = ${workspace}`,
  );
  await request('DELETE', `/api/organizations/${workspace}`, { key: person.key });
  const { hold } = await spender('10.00');
  await refused('account_not_active', () => hold('1.00', 'k1', { accountId: closed }));

  const [captured, released, open] = [
    await hold('2.00'),
    await hold('2.00'),
    await hold('2.00', 'k2'),
  ];
  await take(captured, '1.00');
  await free(released);
  const unknown = { ...open, id: randomUUID() };
  await refused('hold_not_found', () => take(unknown, '1.00'));
  await refused('hold_not_found', () => free(unknown));
  await refused('hold_ended', () => take(captured, '0.99'));
  await refused('hold_ended', () => free(captured));
  await refused('hold_ended', () => take(released, '2.00'));
  for (const amount of ['0.00', '-1.00', '2.000001'])
    await refused('capture_out_of_range', () => take(open, amount));
  await refused('hold_key_reused', () => hold('2.01', 'k2'));
  await refused('hold_key_reused', () =>
    hold('2.00', 'k2', { reference: { type: 'task', id: randomUUID() } }),
  );
  const other = await spender('10.00');
  await refused('hold_key_reused', () => other.hold('2.00', 'k2'));
});
