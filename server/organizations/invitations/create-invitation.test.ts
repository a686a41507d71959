import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness({
  env: { PUBLIC_URL: 'https://guild.example/' },
});

async function tenant() {
  const owner = await fixtures.user({ name: 'Olga' });
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  const path = `/api/organizations/${workspace}/invitations`;
  const invite = (body: object, by: { key: string } = owner) =>
    request('POST', path, { key: by.key, body });
  const list = async () => (await request('GET', path, { key: owner.key })).body;
  return { owner, workspace, path, invite, list };
}

const mails = (invitation: string) =>
  db.many(sql`
    select kind, recipient, generation, status from mail
     where subject_id = ${invitation} order by generation`);

const audits = (invitation: string) =>
  db.many(sql`
    select action, actor_user_id, organization_id, before, after from audit_event
     where target_id = ${invitation} order by id`);

test('201: the invitation, with its role, its teams and a link; a mail is queued', async () => {
  const { owner, workspace, invite, list } = await tenant();
  const [core, beta] = [
    await fixtures.team(workspace, { name: 'Core' }),
    await fixtures.team(workspace, { name: 'beta' }),
  ];
  const { status, body } = await invite({
    email: 'Eve@Example.COM',
    role: 'viewer',
    team_ids: [core, beta],
  });
  assert.equal(status, 201);
  const { id, created_at, expires_at, invite_link, ...rest } = body;
  assert.deepEqual(rest, {
    organization_id: workspace,
    email: 'Eve@example.com',
    role: 'viewer',
    status: 'pending',
    invited_by_name: 'Olga',
    organization_name: 'Acme',
    require_2fa_before_join: false,
    role_id: '00000000-0000-4000-8000-000000000004',
    role_name: 'Viewer',
    role_color: '#6B7280',
    teams: [
      { id: beta, name: 'beta' },
      { id: core, name: 'Core' },
    ],
  });
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 24 * 3_600_000);
  assert.match(
    invite_link,
    new RegExp(`^https://guild\\.example/invitations/${id}\\?token=[\\w-]{43}$`),
  );
  assert.equal((await list())[0].invite_link, invite_link);
  assert.deepEqual(await mails(id), [
    {
      kind: 'workspace_invitation',
      recipient: 'Eve@example.com',
      generation: 1,
      status: 'queued',
    },
  ]);
  assert.deepEqual(await audits(id), [
    {
      action: 'invitation.create',
      actor_user_id: owner.id,
      organization_id: workspace,
      before: {},
      after: { email: 'Eve@example.com', role: 'viewer', team_ids: [core, beta] },
    },
  ]);
});

test('201: a custom role by its id is shown with its name and colour', async () => {
  const { workspace, invite } = await tenant();
  const role = await fixtures.role(workspace, { name: 'Reviewer', actsAs: 'viewer' });
  const { status, body } = await invite({ email: 'eve@example.com', role_id: role.toUpperCase() });
  assert.deepEqual(
    [status, body.role_id, body.role_name, body.role_color, body.teams],
    [201, role, 'Reviewer', '#AA5533', []],
  );
});

test('201: inviting again renews: the same invitation, another link, role, teams, inviter and expiry', async () => {
  const { workspace, invite, list } = await tenant();
  const admin = await fixtures.user({ name: 'Adam' });
  await fixtures.member(workspace, admin, 'admin');
  const [kept, dropped, added] = [
    await fixtures.team(workspace, { name: 'kept' }),
    await fixtures.team(workspace, { name: 'dropped' }),
    await fixtures.team(workspace, { name: 'added' }),
  ];
  const first = (
    await invite({ email: 'eve@example.com', role: 'member', team_ids: [kept, dropped] })
  ).body;
  await db.many(sql`update invitation set expires_at = now() where id = ${first.id}`);
  const reply = await invite(
    { email: 'EVE@example.com', role: 'admin', team_ids: [added, kept] },
    admin,
  );
  assert.equal(reply.status, 201);
  const second = reply.body;
  assert.deepEqual(
    [second.id, second.email, second.role, second.invited_by_name, second.created_at],
    [first.id, 'EVE@example.com', 'admin', 'Adam', first.created_at],
  );
  assert.deepEqual(
    second.teams.map(({ id }: { id: string }) => id),
    [added, kept],
  );
  assert.notEqual(second.invite_link, first.invite_link);
  assert.ok(second.expires_at >= first.expires_at);
  assert.equal(second.status, 'pending');
  assert.equal((await list()).length, 1);
  assert.deepEqual(
    (await mails(first.id)).map((mail) => (mail as { generation: number }).generation),
    [1, 2],
  );
  const [, renewed] = await audits(first.id);
  assert.deepEqual(renewed, {
    action: 'invitation.renew',
    actor_user_id: admin.id,
    organization_id: workspace,
    before: {
      email: 'eve@example.com',
      role: 'member',
      team_ids: [kept, dropped].sort(),
    },
    after: { email: 'EVE@example.com', role: 'admin', team_ids: [added, kept] },
  });
});

test('201: whoever declined, or was revoked, may be invited again; that is a new invitation', async () => {
  const { workspace, invite } = await tenant();
  for (const status of ['accepted', 'declined', 'revoked']) {
    const email = `${status}@example.com`;
    const before = await fixtures.invitation(workspace, { email, status });
    const { status: answered, body } = await invite({ email, role: 'member' });
    assert.equal(answered, 201);
    assert.notEqual(body.id, before);
  }
});

test('race: many invite one address at once: one open invitation, whose last link is the one that works', async () => {
  for (let round = 0; round < 5; round++) {
    const { invite, list } = await tenant();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        invite({ email: i % 2 ? 'Eve@example.com' : 'eve@example.com', role: 'member' }),
      ),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
    const links = new Set(replies.map(({ body }) => body.invite_link));
    assert.equal(links.size, 8);
    const [open, ...more] = await list();
    assert.equal(more.length, 0);
    assert.ok(links.has(open.invite_link));
    const generations = (await mails(open.id)) as { generation: number }[];
    assert.deepEqual(
      generations.map(({ generation }) => generation),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
  }
});

test('race: an invitation against the deletion of its workspace or of a team: either it is made or refused', async () => {
  for (let round = 0; round < 8; round++) {
    const { owner, workspace, path, invite } = await tenant();
    const team = await fixtures.team(workspace);
    const body = { email: 'eve@example.com', role: 'member', team_ids: [team] };
    const remove =
      round % 2
        ? `/api/organizations/${workspace}`
        : `/api/organizations/${workspace}/teams/${team}`;
    const [invited, removed] = await Promise.all([
      invite(body),
      request('DELETE', remove, { key: owner.key }),
    ]);
    assert.ok([200, 204].includes(removed.status), removed.text);
    assert.ok([201, 404, 422].includes(invited.status), invited.text);
    const { body: open } = await request('GET', path, { key: owner.key });
    if (round % 2 === 0) assert.equal(open.length, invited.status === 201 ? 1 : 0);
  }
});

test('replay: the link is in the answer again, and its token in no table', async () => {
  const { owner, path } = await tenant();
  const headers = { 'idempotency-key': 'invite-eve' };
  const body = { email: 'eve@example.com', role: 'member' };
  const first = await request('POST', path, { key: owner.key, body, headers });
  const again = await request('POST', path, { key: owner.key, body, headers });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.text, first.text);
  const token = new URL(first.body.invite_link).searchParams.get('token') as string;
  const stored = await db.many<{ body: string }>(sql`
    select body from idempotency_key where user_id = ${owner.id}`);
  assert.equal(stored.length, 1);
  assert.ok(!stored[0]?.body.includes(token));
});
