import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sandbox } from '../../billing/cards/sandbox.ts';
import { topUps } from '../../billing/top-ups/top-ups.ts';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const {
  fixtures,
  request,
  db,
  unchanged,
  owner: asOwner,
} = await startHarness({ processor: (database) => sandbox(database, { delay: 5 }) });

async function tenant(balance = '120.00') {
  const [owner, member] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { balance });
  await fixtures.member(workspace, member);
  const path = `/api/organizations/${workspace}`;
  const remove = (by: { key: string }, heir?: string) =>
    request('DELETE', heir === undefined ? path : `${path}?transfer_balance_to_user_id=${heir}`, {
      key: by.key,
    });
  return { owner, member, workspace, path, remove };
}

const balanceOf = (user: { id: string }) => fixtures.balance({ userId: user.id });

test('200: everything of the workspace goes, its projects stay without an owner, its balance goes to the owner', async () => {
  const { owner, member, workspace, remove } = await tenant();
  const guest = await fixtures.user();
  const projects = [
    await fixtures.project({ organizationId: workspace }),
    await fixtures.project({ organizationId: workspace }),
  ];
  await fixtures.team(workspace, { addToNew: true });
  await fixtures.project({ organizationId: workspace });
  await fixtures.grant(projects[0] as string, member, 'admin');
  await fixtures.grant(projects[0] as string, guest, 'member');
  await fixtures.invitation(workspace);
  await fixtures.invitation(workspace, { status: 'accepted' });
  const task = await fixtures.task(projects[0] as string, owner);
  await fixtures.revision(task);

  const reply = await remove(owner);
  assert.equal(reply.status, 200);
  const { deleted_at, ...receipt } = reply.body;
  assert.deepEqual(receipt, {
    id: workspace,
    status: 'deleted',
    balance_transferred: '120.00',
    balance_transferred_to_user_id: owner.id,
    projects_released: 3,
    invitations_revoked: 1,
  });
  assert.match(deleted_at, /Z$/);
  assert.equal(await balanceOf(owner), 120_000_000n);
  for (const project of projects) {
    const [row] = await db.many(
      sql`
        select organization_id, owner_user_id, updated_at > created_at as changed from project
          where id = ${project}`,
    );
    assert.deepEqual(row, { organization_id: null, owner_user_id: null, changed: true });
  }
  // Rights from the workspace have ended, those of the outside collaborator have not.
  const people = `/api/projects/${projects[0]}/people`;
  for (const { key } of [owner, member])
    assert.equal((await request('GET', people, { key })).status, 403);
  const { body } = await request('GET', people, { key: guest.key });
  assert.deepEqual(
    body.map((p: { user_id: string; is_owner: boolean }) => [p.user_id, p.is_owner]),
    [[guest.id, false]],
  );
  assert.equal(
    (await request('POST', `/api/tasks/${task}/plan/approve`, { key: guest.key })).status,
    200,
  );
  const left = await db.many(sql`
    select id from team where organization_id = ${workspace} union all
    select user_id from membership where organization_id = ${workspace} union all
    select id from invitation where organization_id = ${workspace} union all
    select id from organization where id = ${workspace}`);
  assert.deepEqual(left, []);
  const [audit] = await db.many<{ before: object; after: object }>(
    sql`select before, after from audit_event where target_id = ${workspace}`,
  );
  assert.deepEqual(audit, {
    before: { balance: '120.00', owner_user_id: owner.id },
    after: reply.body,
  });
});

test('200: the balance goes to the named member, and the sum over all accounts stays', async () => {
  const { owner, member, remove } = await tenant('12.345678');
  await fixtures.fund({ userId: member.id }, '1.00');
  const reply = await remove(owner, member.id);
  assert.equal(reply.body.balance_transferred, '12.345678');
  assert.equal(reply.body.balance_transferred_to_user_id, member.id);
  assert.equal(await balanceOf(member), 13_345_678n);
  assert.equal(await balanceOf(owner), 0n);
  const [clearing] = await db.many<{ sum: string }>(sql`
    select coalesce(sum(case when credit_account_id = a.id then amount
      else -amount end), 0)::text as sum
      from billing_account a join ledger_transfer l on a.id in (l.debit_account_id,
        l.credit_account_id)
     where a.system_name = 'transfer_clearing'`);
  assert.equal(clearing?.sum, '0');
  const [row] = await db.many(sql`
    select a.status, a.balance::text, s.user_id from billing_account a
      join billing_account s on s.id = a.successor_id
     where s.user_id = ${member.id}`);
  assert.deepEqual(row, { status: 'closed', balance: '0', user_id: member.id });
});

test('200: without a balance nothing is said to have moved', async () => {
  const owner = await fixtures.user();
  const bare = await fixtures.workspace(owner);
  const { body } = await request('DELETE', `/api/organizations/${bare}`, { key: owner.key });
  assert.equal(body.balance_transferred, '0.00');
  assert.ok(!('balance_transferred_to_user_id' in body));
});

test('200: a collaborator with a custom role keeps the built-in role it acted as', async () => {
  const { owner, workspace, remove } = await tenant();
  const guest = await fixtures.user();
  const project = await fixtures.project({ organizationId: workspace });
  await db.many(sql`
    with custom as (insert into role (organization_id, scope, slug, name, color, acts_as)
                    values (${workspace}, 'project', 'reviewer', 'Reviewer', '#112233', 'viewer')
                      returning id)
    insert into project_grant (project_id, user_id, role_id) select ${project}, ${guest.id}, id
      from custom`);
  const before = (
    await request('GET', `/api/projects/${project}/people`, { key: guest.key })
  ).body.at(-1);
  assert.deepEqual([before.effective_role, before.effective_role_name], ['reviewer', 'Reviewer']);
  assert.equal((await remove(owner)).status, 200);
  const { body } = await request('GET', `/api/projects/${project}/people`, { key: guest.key });
  assert.equal(body[0].effective_role, 'viewer');
});

test('200: a body is ignored, even a malformed one', async () => {
  const { owner, path } = await tenant();
  assert.equal((await request('DELETE', path, { key: owner.key, raw: '{' })).status, 200);
});

test('404: no such workspace, and one that was deleted before', async () => {
  const { owner, remove } = await tenant();
  const reply = await request('DELETE', `/api/organizations/${randomUUID()}`, { key: owner.key });
  assert.equal(reply.status, 404);
  await remove(owner);
  const again = await unchanged(() => remove(owner));
  assert.deepEqual([again.status, again.body.code], [404, 'not_found']);
});

test('409: debt, an open top-up and held money are open money: nothing changes', async () => {
  const { owner, workspace, remove } = await tenant('-0.01');
  await asOwner(sql`update billing_account set held = 5 where organization_id = ${workspace}`);
  await db.many(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, processor)
    select id, ${owner.id}, 'test', ${await fixtures.card(owner)}, 1000000, 'sandbox'
      from billing_account where organization_id = ${workspace}`);
  const reply = await unchanged(() => remove(owner));
  assert.deepEqual([reply.status, reply.body.code], [409, 'workspace_has_open_money']);
  const codes = reply.body.blockers.map(({ code }: { code: string }) => code);
  assert.deepEqual(codes, ['negative_balance', 'top_up_in_flight', 'holds_open']);
});

test('409: a balance that does not fit into the heir’s, with what is on its way to it, stays where it is', async () => {
  const { owner, member, workspace, remove } = await tenant();
  await fixtures.fund({ userId: owner.id }, '999999880.01');
  await fixtures.fund({ userId: member.id }, '999999879.99');
  for (const heir of [undefined, owner.id]) {
    const reply = await unchanged(() => remove(owner, heir));
    assert.deepEqual([reply.status, reply.body.code], [409, 'balance_limit']);
  }
  const { id } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${member.id}`,
  );
  const funding = {
    accountId: id,
    userId: member.id,
    keyId: null,
    requestId: 'test',
    clientKey: undefined,
  };
  const card = await fixtures.card(member);
  await db.transaction((tx) =>
    topUps(db, sandbox(db)).start(tx, { ...funding, paymentMethodId: card, amount: 1_000_000n }),
  );
  const reply = await unchanged(() => remove(owner, member.id));
  assert.deepEqual([reply.status, reply.body.code], [409, 'balance_limit']);
  await db.many(sql`
    update top_up set status = 'failed', failure_code = 'canceled' where user_id = ${member.id}`);
  assert.equal((await remove(owner, member.id)).status, 200);
  assert.equal(await balanceOf(member), 999_999_999_990_000n);
  const { status } = await request('GET', `/api/organizations/${workspace}/billing/balance`, {
    key: owner.key,
  });
  assert.equal(status, 404);
});

test('422: the balance can only go to an active member, and nothing changes', async () => {
  const { owner, workspace, remove } = await tenant();
  const [stranger, gone] = [await fixtures.user(), await fixtures.user({ active: false })];
  await fixtures.member(workspace, gone);
  for (const id of [stranger.id, gone.id, randomUUID()]) {
    const reply = await unchanged(() => remove(owner, id));
    assert.equal(reply.status, 422);
    const [{ type, loc, input }] = reply.body.detail;
    assert.deepEqual(
      [type, loc, input],
      ['not_a_member', ['query', 'transfer_balance_to_user_id'], id],
    );
  }
  assert.equal((await remove(owner, '')).body.detail[0].type, 'uuid_parsing');
});

test('race: two deletes at once: one 200, one 404, the balance moves once', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, remove } = await tenant();
    const replies = await Promise.all([remove(owner), remove(owner)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
    assert.equal(await balanceOf(owner), 120_000_000n);
  }
});

test('race: delete against add-funds of the heir: both happen, no cent is lost', async () => {
  for (let round = 0; round < 5; round++) {
    const { owner, remove } = await tenant();
    const body = { amount: 25, payment_method_id: await fixtures.card(owner) };
    const [gone, ...added] = await Promise.all([
      remove(owner),
      ...[1, 2, 3].map((factor) =>
        request('POST', '/api/billing/add-funds', {
          key: owner.key,
          body: { ...body, amount: 25 * factor },
        }),
      ),
    ]);
    assert.deepEqual([gone.status, ...added.map(({ status }) => status)], [200, 200, 200, 200]);
    assert.equal(await balanceOf(owner), 270_000_000n);
  }
});

test('race: a failure midway leaves everything as it was', async () => {
  const { owner, workspace, remove } = await tenant();
  await fixtures.invitation(workspace);
  // Something that a later version of the schema might hang on a workspace: the last delete then
  // fails.
  await asOwner(sql`create table hanging (organization_id uuid references organization)`);
  await asOwner(sql`grant select, insert on hanging to guildhall_app`);
  await db.many(sql`insert into hanging values (${workspace})`);
  const reply = await unchanged(() => remove(owner));
  assert.equal(reply.status, 500);
  assert.deepEqual(reply.body, { detail: 'Internal Server Error', code: 'internal_error' });
  await asOwner(sql`drop table hanging`);
  assert.equal((await remove(owner)).status, 200);
});
