import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, owner: asOwner } = await startHarness();

test('200: decimal strings; held money is not available, a debt or a frozen account leaves nothing to spend', async () => {
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
