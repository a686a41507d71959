import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged } = await startHarness();

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

test('200 and 403: an admin charges their own card for the workspace; members and other people’s cards are refused', async () => {
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

test('race: delete against add-funds of the workspace: the money is with the recipient, in the workspace, or was never charged', async () => {
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
