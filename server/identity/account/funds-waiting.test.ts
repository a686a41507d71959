import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

const inbox = async ({ key }: User) => (await request('GET', '/api/inbox', { key })).body;

/** Auto-reload of an account, paused for this reason. */
const pause = async (
  whose: { userId?: string; organizationId?: string },
  card: string,
  reason: string,
) => {
  await db.many(sql`
    insert into auto_reload (account_id, enabled, payment_method_id, paused_reason)
    select id, true, ${card}, ${reason} from billing_account
     where user_id = ${whose.userId ?? null} or organization_id = ${whose.organizationId ?? null}
    on conflict (account_id) do update set paused_reason = excluded.paused_reason`);
};

test('a negative balance waits for its owner since it became negative, until funds arrive', async () => {
  const user = await fixtures.user();
  await fixtures.fund({ userId: user.id }, '5.00');
  assert.deepEqual(await inbox(user), []);
  await fixtures.fund({ userId: user.id }, '-6.00');
  const [{ since, ...entry }] = await inbox(user);
  assert.deepEqual(entry, {
    kind: 'funds',
    title: 'Your balance is negative: add funds to use it again',
  });
  await fixtures.fund({ userId: user.id }, '-1.00');
  await fixtures.fund({ userId: user.id }, '0.50');
  assert.deepEqual(await inbox(user), [{ ...entry, since }]);
  await fixtures.fund({ userId: user.id }, '9.00');
  assert.deepEqual(await inbox(user), []);
});

test('a workspace’s balance waits for its owner and admins, but for none without the second factor it requires', async () => {
  const owner = await fixtures.user({ twoFactor: true });
  const workspace = await fixtures.workspace(owner, { name: 'Acme "1"' });
  const [admin, member, viewer, custom, stranger] = (await Promise.all(
    Array.from({ length: 5 }, () => fixtures.user()),
  )) as [User, User, User, User, User];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, custom, await fixtures.role(workspace, { actsAs: 'admin' }));
  await fixtures.fund({ organizationId: workspace }, '-6.00');
  const listed = async () => {
    const all = [owner, admin, custom, member, viewer, stranger];
    return Promise.all(all.map(async (user) => (await inbox(user)).length));
  };
  assert.deepEqual(await listed(), [1, 1, 1, 0, 0, 0]);
  const [{ kind, organization_id, title }] = await inbox(admin);
  assert.deepEqual([kind, organization_id], ['funds', workspace]);
  assert.equal(title, 'The balance of "Acme "1"" is negative: add funds to use it again');
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  assert.deepEqual(await listed(), [1, 0, 0, 0, 0, 0]);
});

test('a paused auto-reload says why and what to do; one that is switched off waits for no one', async () => {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user, { name: 'Acme' });
  const card = await fixtures.card(user);
  for (const [reason, advice] of [
    ['declined', /declined: choose another card, or add funds$/],
    ['authentication_required', /confirmation: add funds$/],
    ['card_lost', /lost: choose another card$/],
    ['refunded', /refund: switch it off and on again$/],
    ['disputed', /dispute: switch it off and on again$/],
  ] as const) {
    await pause({ userId: user.id }, card, reason);
    const [{ kind, title, organization_id }, ...more] = await inbox(user);
    assert.deepEqual([kind, organization_id, more], ['funds', undefined, []]);
    assert.match(title, /^Your auto-reload is paused /);
    assert.match(title, advice);
  }
  await db.many(sql`update auto_reload set enabled = false`);
  assert.deepEqual(await inbox(user), []);
  await pause({ organizationId: workspace }, card, 'declined');
  const [{ organization_id, title }] = await inbox(user);
  assert.equal(organization_id, workspace);
  assert.match(title, /^Auto-reload of "Acme" is paused because its card was declined/);
});

test('a balance that is frozen and whose auto-reload is paused is one entry', async () => {
  const user = await fixtures.user();
  await fixtures.fund({ userId: user.id }, '-1.00');
  await pause({ userId: user.id }, await fixtures.card(user), 'declined');
  const entries = await inbox(user);
  assert.equal(entries.length, 1);
  assert.match(entries[0].title, /^Your balance is negative/);
});
