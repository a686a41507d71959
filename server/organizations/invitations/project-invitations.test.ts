import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged, owner: asOwner } = await startHarness();

async function tenant() {
  const owner = await fixtures.user({ name: 'Olga' });
  const eve = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}/invitations`;
  const invite = (body: object, by: User = owner) =>
    request('POST', path, { key: by.key, body: { email: eve.email, ...body } });
  const list = async (query = '', by: User = owner) =>
    (await request('GET', `${path}${query}`, { key: by.key })).body;
  const revoke = (id: string, by: User = owner) =>
    request('DELETE', `${path}/${id}`, { key: by.key });
  return { owner, eve, workspace, project, path, invite, list, revoke };
}

const accept = (id: string, { key }: User) =>
  request('POST', `/api/invitations/${id}/accept`, { key });

const person = async (project: string, by: User, user: User) =>
  (await request('GET', `/api/projects/${project}/people`, { key: by.key })).body.find(
    ({ user_id }: { user_id: string }) => user_id === user.id,
  );

test('201: the invitation with its role and link, a mail, and a line in the trail of the project', async () => {
  const { owner, eve, workspace, project, invite, list } = await tenant();
  const { status, body } = await invite({ role: 'viewer' });
  assert.equal(status, 201);
  const { id, created_at, expires_at, invite_link, project_name, ...rest } = body;
  assert.deepEqual(rest, {
    project_id: project,
    email: eve.email,
    role: 'viewer',
    role_id: '00000000-0000-4000-8000-000000000014',
    role_name: 'Project viewer',
    role_color: body.role_color,
    status: 'pending',
    invited_by_name: 'Olga',
  });
  assert.match(invite_link, new RegExp(`/invitations/${id}\\?token=[\\w-]{43}$`));
  assert.ok(project_name);
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 24 * 3_600_000);
  assert.deepEqual(await list(), [body]);
  const mails = await db.many(
    sql`select kind, recipient, generation from mail where subject_id = ${id}`,
  );
  assert.deepEqual(mails, [{ kind: 'project_invitation', recipient: eve.email, generation: 1 }]);
  const audits = await db.many(sql`
    select action, actor_user_id, organization_id, project_id from audit_event
     where target_id = ${id}`);
  assert.deepEqual(audits, [
    {
      action: 'invitation.create',
      actor_user_id: owner.id,
      organization_id: workspace,
      project_id: project,
    },
  ]);
});

test('201: inviting again renews, with another link and role; a custom role of projects may be given', async () => {
  const { workspace, invite, list } = await tenant();
  const role = await fixtures.role(workspace, { scope: 'project', name: 'Reviewer' });
  const first = (await invite({ role: 'viewer' })).body;
  const second = (await invite({ role_id: role })).body;
  assert.deepEqual([second.id, second.role_name], [first.id, 'Reviewer']);
  assert.notEqual(second.invite_link, first.invite_link);
  assert.deepEqual(await list(), [second]);
});

test('200: whoever accepts is an outside collaborator; a member by then gets an override', async () => {
  const { owner, eve, workspace, project, invite, list } = await tenant();
  const joining = await fixtures.user();
  const [first, second] = [
    (await invite({ role: 'member' })).body.id,
    (await invite({ email: joining.email, role: 'viewer' })).body.id,
  ];
  const { status, body } = await accept(first, eve);
  assert.deepEqual(
    [status, body.project_id, body.organization_id, body.role, body.teams_joined],
    [200, project, undefined, 'member', []],
  );
  await fixtures.member(workspace, joining, 'member');
  assert.equal((await accept(second, joining)).status, 200);
  assert.deepEqual(await list(), []);
  const [outside, inside] = [
    await person(project, owner, eve),
    await person(project, owner, joining),
  ];
  assert.deepEqual(
    [outside.source, outside.effective_role, inside.source, inside.effective_role],
    ['collaborator', 'member', 'override', 'viewer'],
  );
  const [audit] = await db.many(sql`
    select action, organization_id, project_id from audit_event
     where target_id = ${first} and actor_user_id = ${eve.id}`);
  assert.deepEqual(audit, {
    action: 'invitation.accept',
    organization_id: workspace,
    project_id: project,
  });
});

test('200: a role set meanwhile stays, and so does who owns the project by then', async () => {
  const { eve, project, invite } = await tenant();
  const { id } = (await invite({ role: 'admin' })).body;
  await fixtures.grant(project, eve, 'viewer');
  assert.equal((await accept(id, eve)).body.role, 'viewer');
  const other = await tenant();
  const owned = (await other.invite({ role: 'viewer' })).body.id;
  await db.many(sql`
    update project set organization_id = null, owner_user_id = ${other.eve.id}
     where id = ${other.project}`);
  assert.equal((await accept(owned, other.eve)).body.role, 'admin');
  const grants = await db.many(
    sql`select user_id from project_grant where project_id = ${other.project}`,
  );
  assert.deepEqual(grants, []);
});

test('200: the policy of the workspace is not that of its outside collaborators', async () => {
  const { eve, workspace, project, owner, invite } = await tenant();
  const { id } = (await invite({ role: 'member' })).body;
  await db.many(sql`update app_user set two_factor = true where id = ${owner.id}`);
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  assert.equal((await accept(id, eve)).status, 200);
  assert.equal((await person(project, owner, eve)).effective_role, 'member');
});

test('200: a custom role becomes the built-in one when the workspace is deleted before it is accepted', async () => {
  const { owner, eve, workspace, project, invite } = await tenant();
  const role = await fixtures.role(workspace, { scope: 'project', actsAs: 'viewer' });
  const { id } = (await invite({ role_id: role })).body;
  const deleted = await request('DELETE', `/api/organizations/${workspace}`, { key: owner.key });
  assert.equal(deleted.status, 200, deleted.text);
  const { status, body } = await accept(id, eve);
  assert.deepEqual([status, body.role], [200, 'viewer']);
  assert.equal((await person(project, eve, eve)).effective_role, 'viewer');
});

test('200: the list narrows by status and comes in pages on request', async () => {
  const { project, list } = await tenant();
  const expired = await fixtures.projectInvitation(project, { expiresInHours: -1 });
  const open = await fixtures.projectInvitation(project);
  for (const status of ['accepted', 'declined', 'revoked'])
    await fixtures.projectInvitation(project, { status });
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id);
  assert.deepEqual(ids(await list()), [open, expired]);
  assert.deepEqual(ids(await list('?status=pending')), [open]);
  assert.deepEqual(ids(await list('?status=expired')), [expired]);
  assert.deepEqual(ids(await list('?limit=1')), [open]);
});

test('204: a revoked one is open no more; then, and of another project, 404', async () => {
  const { eve, invite, list, revoke } = await tenant();
  const { id } = (await invite({ role: 'member' })).body;
  const other = await fixtures.projectInvitation((await tenant()).project);
  for (const unknown of [other, randomUUID()])
    assert.equal((await unchanged(() => revoke(unknown))).status, 404);
  assert.equal((await revoke(id)).status, 204);
  assert.deepEqual(await list(), []);
  assert.equal((await unchanged(() => revoke(id))).status, 404);
  assert.equal((await unchanged(() => accept(id, eve))).status, 404);
});

test('403: the first answer is repeated to a person of the project, not to one removed since', async () => {
  const { owner, eve, project, invite } = await tenant();
  const { id } = (await invite({ role: 'viewer' })).body;
  const headers = { 'idempotency-key': randomUUID() };
  const again = () => request('POST', `/api/invitations/${id}/accept`, { key: eve.key, headers });
  const first = await again();
  assert.deepEqual([first.status, (await unchanged(again)).text], [200, first.text]);
  const removal = `/api/projects/${project}/people/${eve.id}`;
  assert.equal((await request('DELETE', removal, { key: owner.key })).status, 204);
  const refused = await unchanged(again);
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
});

test('403: only project admins invite, see and revoke: not members, viewers, strangers or other collaborators', async () => {
  const { workspace, project, path, invite, list, revoke } = await tenant();
  const guests = await Promise.all([1, 2, 3, 4, 5].map(() => fixtures.user()));
  const [admin, member, viewer, guest] = guests as [User, User, User, User];
  await fixtures.grant(project, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'member');
  const id = (await invite({ role: 'member' }, admin)).body.id;
  assert.equal((await list('', admin)).length, 1);
  for (const by of guests.slice(1)) {
    for (const work of [
      () => invite({ role: 'viewer' }, by),
      () => request('GET', path, { key: by.key }),
      () => revoke(id, by),
    ]) {
      const reply = await unchanged(work);
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
  }
  assert.equal((await revoke(id, admin)).status, 204);
});

test('409: whoever can open the project already, and more than 1000 open invitations', async () => {
  const { owner, workspace, project, invite } = await tenant();
  const [viewer, guest] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'viewer');
  for (const { email } of [owner, viewer, guest]) {
    const reply = await unchanged(() => invite({ email: email.toUpperCase(), role: 'member' }));
    assert.deepEqual([reply.status, reply.body.code], [409, 'already_on_project']);
  }
  await asOwner(sql`
    insert into invitation (project_id, scope, email, role_id)
    select ${project}, 'project', 'i' || n || '@example.com', '00000000-0000-4000-8000-000000000013'
      from generate_series(1, 1000) n`);
  const reply = await unchanged(() => invite({ role: 'member' }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_invitations']);
  assert.equal((await invite({ email: 'i7@example.com', role: 'viewer' })).status, 201);
});

test('422: exactly one role, of projects', async () => {
  const { workspace, invite } = await tenant();
  const ofWorkspaces = await fixtures.role(workspace);
  for (const [role, type] of [
    [{}, 'role_or_role_id'],
    [{ role: 'owner' }, 'literal_error'],
    [{ role_id: ofWorkspaces }, 'role_not_found'],
    [{ role_id: '00000000-0000-4000-8000-000000000003' }, 'role_not_found'],
    [{ role: 'member', team_ids: [] }, 'extra_forbidden'],
  ] as [object, string][]) {
    const reply = await unchanged(() => invite(role));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
  }
});

test('race: accepted while the project or its workspace is deleted, or it is revoked or renewed', async () => {
  for (let round = 0; round < 16; round++) {
    const { owner, eve, workspace, project, invite, revoke } = await tenant();
    const { id } = (await invite({ role: 'member' })).body;
    const others = [
      () => request('DELETE', `/api/projects/${project}`, { key: owner.key }),
      () => request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
      () => revoke(id),
      () => invite({ role: 'viewer' }),
    ] as const;
    const other = others[round % 4] as (typeof others)[number];
    const [accepted, done] = await Promise.all([accept(id, eve), other()]);
    assert.ok([200, 404].includes(accepted.status), accepted.text);
    assert.ok([200, 201, 204, 404, 409].includes(done.status), done.text);
    const [row] = await db.many<{ open: number; joined: boolean }>(sql`
      select (select count(*)::int from invitation
               where project_id = ${project} and status = 'pending') as open,
             exists (select from project_grant
                      where project_id = ${project} and user_id = ${eve.id}) as joined`);
    const stays = round % 4 !== 0 && accepted.status === 200;
    assert.deepEqual(row, { open: 0, joined: stays }, `round ${round}`);
  }
});

test('race: invited many times at once: one open invitation', async () => {
  const { invite, list } = await tenant();
  const replies = await Promise.all(Array.from({ length: 8 }, () => invite({ role: 'member' })));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  assert.equal((await list()).length, 1);
  assert.equal(new Set(replies.map(({ body }) => body.invite_link)).size, 8);
});
