import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const leave = (by: User, headers = {}) =>
    request('POST', `/api/organizations/${workspace}/leave`, { key: by.key, headers });
  const join = async (role: string) => {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, role);
    return user;
  };
  return { owner, workspace, leave, join };
}

/** Auto-reload of a workspace that charges a card of this person. */
async function charge(workspace: string, payer: User) {
  const { id } = await db.one<{ id: string }>(
    sql`select id from billing_account where organization_id = ${workspace}`,
  );
  await db.many(sql`
    insert into auto_reload (account_id, enabled, payment_method_id, threshold, amount, monthly_cap)
    values (${id}, true, ${await fixtures.card(payer)}, 1000000, 5000000, 50000000)`);
  const enabled = async () =>
    (
      await db.one<{ enabled: boolean }>(
        sql`select enabled from auto_reload where account_id = ${id}`,
      )
    ).enabled;
  return { id, enabled };
}

test('200: admins, members, viewers and people with a custom role leave, with their teams and overrides', async () => {
  const { workspace, leave, join } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  const team = await fixtures.team(workspace);
  const custom = await fixtures.role(workspace, { actsAs: 'admin' });
  for (const role of ['admin', 'member', 'viewer', custom]) {
    const user = await join(role);
    await fixtures.teamMember(team, user);
    await fixtures.grant(project, user, 'viewer');
    const reply = await leave(user);
    const receipt = { user_id: user.id, teams_left: 1, overrides_removed: 1 };
    assert.deepEqual([reply.status, reply.body], [200, receipt]);
    const list = await request('GET', `/api/projects/${project}/people`, { key: user.key });
    assert.equal(list.status, 403);
    const [audit] = await db.many(sql`
      select action, actor_user_id, after from audit_event
       where organization_id = ${workspace} and target_id = ${user.id}`);
    assert.deepEqual(audit, { action: 'member.leave', actor_user_id: user.id, after: receipt });
  }
});

test('200: whoever left sees the receipt again, also of a workspace that is gone; a new request is refused', async () => {
  const { owner, workspace, leave, join } = await tenant();
  const user = await join('viewer');
  const headers = { 'idempotency-key': 'bye' };
  const first = await leave(user, headers);
  const again = async () => {
    const reply = await unchanged(() => leave(user, headers));
    assert.deepEqual(
      [reply.status, reply.text, reply.headers.get('idempotent-replayed')],
      [200, first.text, 'true'],
    );
  };
  await again();
  assert.equal((await unchanged(() => leave(user))).status, 403);
  await request('DELETE', `/api/organizations/${workspace}`, { key: owner.key });
  await again();
});

test('200: auto-reload that charges a card of the person who leaves, is removed or is no admin any more is switched off', async () => {
  for (const how of ['leave', 'remove', 'demote'] as const) {
    const { owner, workspace, leave, join } = await tenant();
    const payer = await join('admin');
    const { id, enabled } = await charge(workspace, payer);
    const path = `/api/organizations/${workspace}/members/${payer.id}`;
    if (how === 'leave') await leave(payer);
    else if (how === 'remove') await request('DELETE', path, { key: owner.key });
    else await request('PUT', path, { key: owner.key, body: { role: 'member' } });
    assert.equal(await enabled(), false);
    const audit = await db.many(sql`
      select action, actor_user_id, after from audit_event
       where organization_id = ${workspace} and target_id = ${id}`);
    const by = how === 'leave' ? payer.id : owner.id;
    assert.deepEqual(audit, [
      { action: 'auto_reload.switch_off', actor_user_id: by, after: { enabled: false } },
    ]);
  }
});

test('200: auto-reload that charges another person stays on', async () => {
  const { owner, workspace, leave, join } = await tenant();
  const { enabled } = await charge(workspace, owner);
  await leave(await join('admin'));
  assert.equal(await enabled(), true);
});

test('409: the owner stays, and is told what to do', async () => {
  const { owner, leave } = await tenant();
  const reply = await unchanged(() => leave(owner));
  assert.deepEqual([reply.status, reply.body.code], [409, 'is_owner']);
  assert.match(reply.body.detail, /transfer ownership first/);
});
