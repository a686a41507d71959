import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness({ own: true });

async function tenant(options: { balance?: string } = {}) {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, options);
  await fixtures.member(workspace, member, 'viewer');
  const path = `/api/organizations/${workspace}/transfer-ownership`;
  const transfer = (by: { key: string }, to: string, more = {}) =>
    request('POST', path, { key: by.key, body: { new_owner_user_id: to, ...more } });
  return { owner, member, workspace, path, transfer };
}

const ownerOf = async (workspace: string) =>
  (
    await db.one<{ owner_user_id: string }>(
      sql`select owner_user_id from organization where id = ${workspace}`,
    )
  ).owner_user_id;

const account = async (workspace: string) =>
  (
    await db.one<{ id: string }>(
      sql`select id from billing_account where organization_id = ${workspace}`,
    )
  ).id;

async function openTopUp(workspace: string, payer: { id: string; key: string }) {
  await db.many(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, processor)
    values (${await account(workspace)}, ${payer.id}, 'test',
      ${await fixtures.card(payer as never)}, 1000000, 'sandbox')`);
}

async function autoReload(workspace: string, payer: { id: string; key: string }) {
  await db.many(sql`
    insert into auto_reload (account_id, enabled, payment_method_id)
    values (${await account(workspace)}, true, ${await fixtures.card(payer as never)})`);
}

test('200: the member owns the workspace at once, the previous owner is an admin, both see it with the next call', async () => {
  const { owner, member, workspace, transfer } = await tenant();
  const reply = await transfer(owner, member.id.toUpperCase());
  assert.equal(reply.status, 200);
  const { transferred_at, ...rest } = reply.body;
  assert.deepEqual(rest, {
    organization_id: workspace,
    previous_owner_user_id: owner.id,
    new_owner_user_id: member.id,
    previous_owner_role: 'admin',
  });
  assert.match(transferred_at, /Z$/);
  assert.equal(await ownerOf(workspace), member.id);
  const project = await fixtures.project({ organizationId: workspace });
  const people = (await request('GET', `/api/projects/${project}/people`, { key: owner.key })).body;
  assert.deepEqual(
    people.map((p: { user_id: string; org_role: string }) => [p.user_id, p.org_role]),
    [
      [member.id, 'owner'],
      [owner.id, 'admin'],
    ],
  );
  assert.equal((await transfer(owner, member.id)).status, 403);
  assert.equal((await transfer(member, owner.id)).status, 200, 'and it can be handed back');
  const audits = await db.many<{ outcome: string; code: string | null }>(
    sql`select outcome, code from audit_event where target_id = ${workspace} order by occurred_at`,
  );
  assert.deepEqual(audits, [
    { outcome: 'done', code: null },
    { outcome: 'refused', code: 'forbidden' },
    { outcome: 'done', code: null },
  ]);
});

test('403: admins, members and strangers may not transfer, and the attempt is recorded', async () => {
  const { member, workspace, transfer } = await tenant();
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const stranger = await fixtures.user();
  for (const by of [admin, member, stranger]) {
    const reply = await unchanged(() => transfer(by, admin.id));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
  const refused = await db.many(
    sql`select code from audit_event where target_id = ${workspace} and outcome = 'refused'`,
  );
  assert.equal(refused.length, 3);
});

test('404: no such workspace', async () => {
  const { owner, member } = await tenant();
  const body = { new_owner_user_id: member.id };
  const reply = await request('POST', `/api/organizations/${randomUUID()}/transfer-ownership`, {
    key: owner.key,
    body,
  });
  assert.equal(reply.status, 404);
});

test('409: debt, an open top-up and auto-reload on the owner’s card block, and the answer lists all of them', async () => {
  const { owner, member, workspace, transfer } = await tenant({ balance: '-5.00' });
  await openTopUp(workspace, owner);
  await autoReload(workspace, owner);
  const reply = await unchanged(() => transfer(owner, member.id, { force: false }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'transfer_blocked']);
  const codes = reply.body.blockers.map(({ code }: { code: string }) => code);
  assert.deepEqual(codes, [
    'negative_balance',
    'top_up_in_flight',
    'auto_reload_on_previous_owners_card',
  ]);
});

test('200: force overrides the blockers and switches auto-reload off when its card is the previous owner’s', async () => {
  const { owner, member, workspace, transfer } = await tenant({ balance: '-5.00' });
  await autoReload(workspace, owner);
  assert.equal((await transfer(owner, member.id, { force: true })).status, 200);
  assert.deepEqual(
    await db.many(
      sql`select enabled from auto_reload where account_id = ${await account(workspace)}`,
    ),
    [{ enabled: false }],
  );
});

test('200: auto-reload on another person’s card neither blocks nor is switched off', async () => {
  const { owner, member, workspace, transfer } = await tenant();
  await autoReload(workspace, member);
  assert.equal((await transfer(owner, member.id)).status, 200);
  assert.deepEqual(
    await db.many(
      sql`select enabled from auto_reload where account_id = ${await account(workspace)}`,
    ),
    [{ enabled: true }],
  );
});

test('422: everyone but an active member gets the same not_a_member, force or not', async () => {
  const { owner, workspace, transfer } = await tenant();
  const [stranger, guest, former, gone] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user({ active: false }),
  ];
  const invitee = await fixtures.user();
  await fixtures.invitation(workspace, { email: invitee.email });
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'admin');
  await fixtures.member(workspace, former);
  await fixtures.removeMember(workspace, former.id);
  await fixtures.member(workspace, gone, 'admin');
  for (const id of [randomUUID(), stranger.id, guest.id, former.id, gone.id, invitee.id]) {
    for (const force of [false, true]) {
      const reply = await unchanged(() => transfer(owner, id, { force }));
      assert.equal(reply.status, 422);
      const [{ type, loc, msg, input }] = reply.body.detail;
      assert.deepEqual([type, loc, input], ['not_a_member', ['body', 'new_owner_user_id'], id]);
      assert.match(msg, /active member/);
    }
  }
});

test('422: the caller as target, and a target without the required second factor, force or not', async () => {
  const { owner, member, workspace, transfer } = await tenant();
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  await db.many(sql`update app_user set two_factor = true where id = ${owner.id}`);
  for (const force of [false, true]) {
    const self = await unchanged(() => transfer(owner, owner.id, { force }));
    assert.deepEqual([self.status, self.body.detail[0].type], [422, 'already_owner']);
    const careless = await unchanged(() => transfer(owner, member.id, { force }));
    assert.deepEqual([careless.status, careless.body.detail[0].type], [422, 'two_factor_required']);
  }
});

test('422: all faults of path and body in one list', async () => {
  const { owner } = await tenant();
  const body = { new_owner_user_id: 5, force: 'yes', owner: true };
  const reply = await request('POST', '/api/organizations/nope/transfer-ownership', {
    key: owner.key,
    body,
  });
  assert.deepEqual(
    reply.body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [
      type,
      loc.join('.'),
    ]),
    [
      ['uuid_parsing', 'path.org_id'],
      ['uuid_type', 'body.new_owner_user_id'],
      ['bool_type', 'body.force'],
      ['extra_forbidden', 'body.owner'],
    ],
  );
});

test('race: two transfers at once: one 200, one 403, one owner', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, member, workspace, transfer } = await tenant();
    const other = await fixtures.user();
    await fixtures.member(workspace, other);
    const replies = await Promise.all([transfer(owner, member.id), transfer(owner, other.id)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403]);
    const winner = replies.find(({ status }) => status === 200);
    assert.equal(await ownerOf(workspace), winner?.body.new_owner_user_id);
  }
});

test('race: transfer against removal of the target: either it is refused, or the new owner stays a member', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, member, workspace, transfer } = await tenant();
    const [reply, removal] = await Promise.allSettled([
      transfer(owner, member.id),
      fixtures.removeMember(workspace, member.id),
    ]);
    assert.equal(reply.status, 'fulfilled');
    const transferred = reply.status === 'fulfilled' && reply.value.status === 200;
    assert.equal(removal.status, transferred ? 'rejected' : 'fulfilled');
    assert.equal(await ownerOf(workspace), transferred ? member.id : owner.id);
  }
});

test('race: transfer against delete: the workspace is gone or has one owner who is a member', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, member, workspace, transfer } = await tenant({ balance: '10.00' });
    const [moved, gone] = await Promise.all([
      transfer(owner, member.id),
      request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
    ]);
    assert.ok(
      (moved.status === 200 && gone.status === 403) ||
        (moved.status === 404 && gone.status === 200),
      `${moved.status} ${gone.status}`,
    );
  }
});

test('database: a workspace cannot have an owner who is no member, and no membership says owner', async () => {
  const { member, workspace } = await tenant();
  const stranger = await fixtures.user();
  await assert.rejects(
    db.many(sql`update organization set owner_user_id = ${stranger.id} where id = ${workspace}`),
    /organization_owner_is_member/,
  );
  await assert.rejects(
    db.many(
      sql`
        update membership set role_id = (select id from role where slug = 'owner')
          where user_id = ${member.id}`,
    ),
    /foreign key/,
  );
});
