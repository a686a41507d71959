import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request } = await startHarness();

test('200, 403, 404: owners and admins see the balance of a workspace; members and strangers do not', async () => {
  const [owner, admin, member] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner, { balance: '12.50' });
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  const path = `/api/organizations/${workspace}/billing/balance`;
  for (const { key } of [owner, admin])
    assert.equal((await request('GET', path, { key })).body.balance, '12.50');
  for (const { key } of [member, await fixtures.user()])
    assert.equal((await request('GET', path, { key })).status, 403);
  const missing = `/api/organizations/${randomUUID()}/billing/balance`;
  assert.equal((await request('GET', missing, { key: owner.key })).status, 404);
});
