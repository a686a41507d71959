import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

test('funds that another admin adds do not resume charges of a card that waits for its owner', async () => {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { balance: '500.00' });
  await fixtures.member(workspace, admin, 'admin');
  const billing = `/api/organizations/${workspace}/billing`;
  const card = await fixtures.card(owner);
  const settings = { enabled: true, threshold: 10, amount: 10, monthly_cap: 50 };
  const on = await request('PUT', `${billing}/auto-reload`, {
    key: owner.key,
    body: { ...settings, payment_method_id: card },
  });
  assert.equal(on.status, 200);
  for (const reason of ['declined', 'authentication_required', 'refunded', 'disputed']) {
    await db.many(sql`
      update auto_reload set paused_reason = ${reason}
       where account_id = (select id from billing_account where organization_id = ${workspace})`);
    const reasonAfter = async (key: string, payment_method_id: string, amount: number) => {
      const body = { amount, payment_method_id };
      const added = await request('POST', `${billing}/add-funds`, { key, body });
      assert.equal(added.status, 200, added.text);
      return (await request('GET', `${billing}/auto-reload`, { key })).body.paused_reason;
    };
    const others = await fixtures.card(admin);
    assert.equal(await reasonAfter(admin.key, others, 5), reason);
    assert.equal(await reasonAfter(owner.key, await fixtures.card(owner), 6), undefined);
  }
});
