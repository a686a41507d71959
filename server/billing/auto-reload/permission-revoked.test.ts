import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { removeSecondFactors } from '../../identity/sign-in/second-factors.ts';
import { deactivateUser } from '../../identity/users/users.ts';
import { autoReloadFixtures, LIMITS } from '../../testing/fixtures/billing/auto-reload.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { sandbox } from '../cards/sandbox.ts';
import { reconcile } from '../top-ups/reconcile.ts';
import { runDueAutoReloads } from './run-due.ts';

// Each way in which the person of a card can lose the right to manage the billing of a workspace.

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const { path, breakProcessor, check } = autoReloadFixtures(harness);
const CHECKS = [15_000, 86_400_000];

type Tenant = Awaited<ReturnType<typeof tenant>>;
const ok = async (reply: Promise<{ status: number; text: string }>) => {
  const { status, text } = await reply;
  assert.ok(status < 300, `${status} ${text}`);
};

const WAYS: Record<string, (t: Tenant) => Promise<unknown>> = {
  'gets another role': ({ call, admin }) =>
    ok(call('PUT', `/members/${admin.id}`, { role: 'member' })),
  'has a role that changes': ({ call, role }) =>
    ok(call('PUT', `/roles/${role}`, { acts_as: 'member' })),
  'has a role that is replaced': async ({ call, role, workspace }) => {
    const other = await fixtures.role(workspace, { actsAs: 'viewer' });
    await ok(call('DELETE', `/roles/${role}?replace_with=${other}`));
  },
  'is removed': ({ call, admin }) => ok(call('DELETE', `/members/${admin.id}`)),
  leaves: ({ call, admin }) => ok(call('POST', '/leave', undefined, admin)),
  'is deactivated': ({ admin }) => db.transaction((tx) => deactivateUser(tx, { id: admin.id })),
  'lacks the second factor that is now required': ({ call }) =>
    ok(call('PUT', '', { require_2fa: true })),
  'loses the second factor that is required': async ({ workspace, admin }) => {
    await db.many(sql`
      with strict as (update organization set require_2fa = true where id = ${workspace})
      update app_user set two_factor = true where id = ${admin.id}`);
    await runDueAutoReloads(db, path, LIMITS);
    await db.transaction((tx) => removeSecondFactors(tx, admin.id));
  },
  'was the owner and is no admin any more': async ({ call, workspace, owner, admin }) => {
    await db.many(sql`
      update organization set owner_user_id = ${admin.id} where id = ${workspace}`);
    const body = { new_owner_user_id: owner.id, force: true };
    await ok(call('POST', '/transfer-ownership', body, admin));
    await ok(call('PUT', `/members/${admin.id}`, { role: 'viewer' }));
  },
};

/**
 * A workspace with an admin by a custom role, whose shared card its auto-reload charges, below 10.00.
 * The balance is enough.
 */
async function tenant() {
  const owner = await fixtures.user({ twoFactor: true });
  const admin = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '50.00' });
  const role = await fixtures.role(workspace, { actsAs: 'admin' });
  await fixtures.member(workspace, admin, role);
  const call = (method: string, rest: string, body?: object, by: User = owner) =>
    request(method, `/api/organizations/${workspace}${rest}`, {
      key: by.key,
      ...(body !== undefined && { body }),
    });
  const card = await fixtures.card(admin);
  await ok(call('PUT', `/billing/payment-methods/${card}`, undefined, admin));
  const figures = { threshold: 10, amount: 25, monthly_cap: 100, payment_method_id: card };
  await ok(call('PUT', '/billing/auto-reload', { enabled: true, ...figures }, admin));
  await runDueAutoReloads(db, path, LIMITS);
  const { id: account } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  const reload = () =>
    db.one<{ enabled: boolean }>(
      sql`select enabled from auto_reload where account_id = ${account}`,
    );
  const spend = () => fixtures.fund({ organizationId: workspace }, '-45.00');
  const balance = () => fixtures.balance({ organizationId: workspace });
  return { owner, admin, workspace, role, call, card, account, reload, spend, balance };
}

for (const [how, lose] of Object.entries(WAYS)) {
  test(`the card of a person who ${how} is not in use any more: within one look, also while it is paused`, async () => {
    for (const paused of [null, 'declined']) {
      const t = await tenant();
      await db.many(sql`
        update auto_reload set paused_reason = ${paused} where account_id = ${t.account}`);
      await lose(t);
      await runDueAutoReloads(db, path, LIMITS);
      assert.deepEqual(await t.reload(), { enabled: false }, `paused: ${paused}`);
      const audits = await db.many(sql`
        select action from audit_event
         where target_id = ${t.account} and action = 'auto_reload.switch_off'`);
      // A transfer with force switches it off as part of its own change.
      assert.ok(audits.length === (how.startsWith('was the owner') ? 0 : 1));
      const shared = await t.call('GET', '/billing/payment-methods');
      assert.deepEqual([shared.status, shared.body], [200, []]);
      if (how === 'is deactivated') continue;
      const removed = await request('DELETE', `/api/billing/payment-methods/${t.card}`, {
        key: t.admin.key,
      });
      assert.equal(removed.status, 204);
    }
  });

  test(`the card of a person who ${how} is not charged, nor for a charge that was recorded and not sent`, async () => {
    const t = await tenant();
    await t.spend();
    breakProcessor({ create: async () => ({ kind: 'unknown', reason: 'test' }) });
    assert.equal((await check(t.account))?.kind, 'open');
    breakProcessor();
    await lose(t);
    await db.many(sql`update top_up set next_check_at = now() where account_id = ${t.account}`);
    await reconcile(db, path, CHECKS);
    await db.many(sql`
      update top_up set created_at = created_at - interval '2 hours' where account_id = ${t.account}`);
    assert.equal(await check(t.account), undefined);
    const rows = await db.many(sql`select status from top_up where account_id = ${t.account}`);
    assert.deepEqual(rows, [{ status: 'failed' }]);
    assert.equal(await t.balance(), 5_000_000n);
  });
}

test('what was captured before its person lost the right is credited', async () => {
  const t = await tenant();
  await t.spend();
  breakProcessor({
    confirm: async (...args) => {
      await sandbox(db).confirm(...args);
      return { kind: 'unknown', reason: 'the answer was lost' };
    },
  });
  assert.equal((await check(t.account))?.kind, 'open');
  breakProcessor();
  await WAYS['is removed']?.(t);
  await db.many(sql`update top_up set next_check_at = now() where account_id = ${t.account}`);
  await reconcile(db, path, CHECKS);
  assert.equal(await t.balance(), 30_000_000n);
});

test('of others nothing changes: the card of an admin who stays is charged', async () => {
  const t = await tenant();
  const other = await fixtures.user();
  await fixtures.member(t.workspace, other, 'admin');
  await ok(t.call('PUT', `/members/${other.id}`, { role: 'viewer' }));
  await t.spend();
  await runDueAutoReloads(db, path, LIMITS);
  assert.deepEqual(await t.reload(), { enabled: true });
  assert.equal(await t.balance(), 30_000_000n);
});
