import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged, inviteLink } = await startHarness();

const tokenOf = (id: string, generation = 1) =>
  new URL(inviteLink(id, generation)).searchParams.get('token') as string;

const accept = (id: string, by: User, body?: unknown, headers = {}) =>
  request('POST', `/api/invitations/${id}/accept`, {
    key: by.key,
    headers,
    ...(body === undefined ? {} : { body }),
  });

async function tenant(offer: object = { role: 'member' }) {
  const [owner, eve] = [await fixtures.user(), await fixtures.user({ name: 'Eve' })];
  const workspace = await fixtures.workspace(owner);
  const path = `/api/organizations/${workspace}/invitations`;
  const body = { email: eve.email.toUpperCase(), ...offer };
  const invitation = (await request('POST', path, { key: owner.key, body })).body;
  return { owner, eve, workspace, path, invitation, id: invitation.id as string };
}

const membership = (workspace: string, { id }: User) =>
  db.many<{ slug: string }>(sql`
    select r.slug from membership m join role r on r.id = m.role_id
     where m.organization_id = ${workspace} and m.user_id = ${id}`);

test('200: the person is a member with the offered role, and can act at once; the body may be omitted', async () => {
  const { eve, owner, workspace, path, id } = await tenant({ role: 'admin' });
  const { status, body } = await accept(id, eve);
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        invitation_id: id,
        organization_id: workspace,
        role: 'admin',
        role_id: '00000000-0000-4000-8000-000000000002',
        role_name: 'Admin',
        role_color: '#2563EB',
        teams_joined: [],
      },
    ],
  );
  assert.deepEqual((await request('GET', path, { key: eve.key })).body, []);
  assert.deepEqual((await request('GET', '/api/invitations', { key: eve.key })).body, []);
  const again = await request('POST', path, {
    key: owner.key,
    body: { email: eve.email, role: 'viewer' },
  });
  assert.equal(again.body.code, 'already_member');
  const [audit] = await db.many(sql`
    select actor_user_id, organization_id, project_id, before, after from audit_event
     where target_id = ${id} and action = 'invitation.accept'`);
  assert.deepEqual(audit, {
    actor_user_id: eve.id,
    organization_id: workspace,
    project_id: null,
    before: { status: 'pending' },
    after: { status: 'accepted', user_id: eve.id, role: 'admin', team_ids: [] },
  });
});

test('200: a custom role, and the teams that still exist', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const [role, core, gone] = [
    await fixtures.role(workspace, { name: 'Reviewer', actsAs: 'viewer' }),
    await fixtures.team(workspace, { name: 'Core' }),
    await fixtures.team(workspace, { name: 'Gone' }),
  ];
  const eve = await fixtures.user();
  const path = `/api/organizations/${workspace}`;
  const body = { email: eve.email, role_id: role, team_ids: [gone, core] };
  const { id } = (await request('POST', `${path}/invitations`, { key: owner.key, body })).body;
  await request('DELETE', `${path}/teams/${gone}`, { key: owner.key });
  const reply = await accept(id, eve, { token: tokenOf(id) });
  assert.deepEqual(
    [reply.status, reply.body.role_id, reply.body.role_name, reply.body.teams_joined],
    [200, role, 'Reviewer', [{ id: core, name: 'Core' }]],
  );
  const teams = (await request('GET', `${path}/teams`, { key: eve.key })).body;
  assert.deepEqual(
    teams.map(({ name, member_count }: Record<string, unknown>) => [name, member_count]),
    [['Core', 1]],
  );
});

test('200: whoever became a member in another way keeps the role, and joins the teams', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace);
  const eve = await fixtures.user();
  const { id } = (
    await request('POST', `/api/organizations/${workspace}/invitations`, {
      key: owner.key,
      body: { email: eve.email, role: 'admin', team_ids: [team] },
    })
  ).body;
  await fixtures.member(workspace, eve, 'viewer');
  await fixtures.teamMember(team, eve);
  const { status, body } = await accept(id, eve);
  assert.deepEqual([status, body.role, body.teams_joined.length], [200, 'viewer', 1]);
  assert.deepEqual(await membership(workspace, eve), [{ slug: 'viewer' }]);
});

test('200: an invitation outlives its inviter, and shows the name of that time', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const admin = await fixtures.user({ name: 'Adam' });
  await fixtures.member(workspace, admin, 'admin');
  const eve = await fixtures.user();
  const { id } = (
    await request('POST', `/api/organizations/${workspace}/invitations`, {
      key: admin.key,
      body: { email: eve.email, role: 'member' },
    })
  ).body;
  await db.many(sql`update app_user set name = 'Eva', is_active = false where id = ${admin.id}`);
  await fixtures.removeMember(workspace, admin.id);
  const [shown] = (await request('GET', '/api/invitations', { key: eve.key })).body;
  assert.equal(shown.invited_by_name, 'Adam');
  assert.equal((await accept(id, eve)).status, 200);
});

test('403: a person who was removed since does not get the first answer again', async () => {
  const { owner, eve, workspace, id } = await tenant();
  const headers = { 'idempotency-key': randomUUID() };
  assert.equal((await accept(id, eve, {}, headers)).status, 200);
  const removal = `/api/organizations/${workspace}/members/${eve.id}`;
  assert.equal((await request('DELETE', removal, { key: owner.key })).status, 200);
  const again = await unchanged(() => accept(id, eve, {}, headers));
  assert.deepEqual([again.status, again.body.code], [403, 'forbidden']);
});

test('403: anyone else, with or without the token, whatever the state of the invitation: one answer for all', async () => {
  const { owner, id } = await tenant();
  const stranger = await fixtures.user();
  const texts = new Set<string>();
  for (const status of ['pending', 'expired', 'accepted', 'declined', 'revoked']) {
    await db.many(
      status === 'expired'
        ? sql`update invitation set expires_at = now() where id = ${id}`
        : sql`update invitation set status = ${status} where id = ${id}`,
    );
    for (const by of [owner, stranger]) {
      for (const body of [undefined, { token: tokenOf(id) }, { token: 'x'.repeat(43) }]) {
        const reply = await unchanged(() => accept(id, by, body));
        assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
        texts.add(reply.text);
      }
    }
  }
  assert.equal(texts.size, 1);
});

test('403: without a second factor no one joins a workspace whose current policy requires one', async () => {
  const { eve, workspace, id } = await tenant();
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  const reply = await unchanged(() => accept(id, eve));
  assert.deepEqual([reply.status, reply.body.code], [403, 'two_factor_required']);
  await db.many(sql`update app_user set two_factor = true where id = ${eve.id}`);
  assert.equal((await accept(id, eve)).status, 200);
});

test('403: the token of an earlier link, of another invitation, or an invented one', async () => {
  const { owner, eve, path, id } = await tenant();
  const other = await tenant();
  await request('POST', `${path}/${id}/resend`, { key: owner.key });
  for (const token of [tokenOf(id, 1), tokenOf(other.id, 2), tokenOf(id, 3), 'x'.repeat(43)]) {
    const reply = await unchanged(() => accept(id, eve, { token }));
    assert.deepEqual([reply.status, reply.body.code], [403, 'invite_token_invalid']);
  }
  assert.equal((await accept(id, eve, { token: tokenOf(id, 2) })).status, 200);
});

test('404: one that was accepted, declined or revoked, and none', async () => {
  const { eve, id } = await tenant();
  assert.equal((await unchanged(() => accept(randomUUID(), eve))).status, 404);
  for (const status of ['accepted', 'declined', 'revoked']) {
    await db.many(sql`update invitation set status = ${status} where id = ${id}`);
    const reply = await unchanged(() => accept(id, eve));
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
  }
});

test('409: one that has expired, until it is sent again', async () => {
  const { owner, eve, path, id } = await tenant();
  await db.many(sql`update invitation set expires_at = now() where id = ${id}`);
  const reply = await unchanged(() => accept(id, eve, { token: tokenOf(id) }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'invitation_expired']);
  await request('POST', `${path}/${id}/resend`, { key: owner.key });
  assert.equal((await accept(id, eve)).status, 200);
});
