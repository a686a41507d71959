import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant(role: 'admin' | 'member' = 'member') {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  const path = `/api/organizations/${workspace}/invitations`;
  const team = await fixtures.team(workspace, { name: 'Core' });
  const body = { email: 'eve@example.com', role, team_ids: [team] };
  const invitation = (await request('POST', path, { key: owner.key, body })).body;
  const resend = (by: { key: string } = owner, id: string = invitation.id) =>
    request('POST', `${path}/${id}/resend`, { key: by.key });
  const revoke = (by: { key: string } = owner, id: string = invitation.id) =>
    request('DELETE', `${path}/${id}`, { key: by.key });
  return { owner, admin, workspace, invitation, resend, revoke };
}

const mails = async (id: string) =>
  (
    await db.many<{ generation: number }>(
      sql`select generation from mail where subject_id = ${id} order by generation`,
    )
  ).map(({ generation }) => generation);

const close = (id: string, status: string) =>
  db.many(sql`update invitation set status = ${status} where id = ${id}`);

test('200: a new link, a new expiry and another mail; everything else stays', async () => {
  const { owner, admin, workspace, invitation, resend } = await tenant();
  await db.many(sql`
    update invitation set expires_at = now() + interval '1 hour' where id = ${invitation.id}`);
  const { status, body } = await resend(admin);
  assert.equal(status, 200);
  const { invite_link, expires_at, ...rest } = body;
  const { invite_link: before, expires_at: until, ...same } = invitation;
  assert.deepEqual(rest, same);
  assert.notEqual(invite_link, before);
  assert.ok(expires_at >= until);
  assert.deepEqual(await mails(invitation.id), [1, 2]);
  const [shown] = (
    await request('GET', `/api/organizations/${workspace}/invitations`, { key: owner.key })
  ).body;
  assert.equal(shown.invite_link, invite_link);
  const [audit] = await db.many(sql`
    select actor_user_id, organization_id, after from audit_event
     where target_id = ${invitation.id} and action = 'invitation.resend'`);
  assert.deepEqual(audit, {
    actor_user_id: admin.id,
    organization_id: workspace,
    after: {
      email: 'eve@example.com',
      expires_at: (audit as { after: { expires_at: string } }).after.expires_at,
    },
  });
});

test('200: one that has expired is open again', async () => {
  const { invitation, resend } = await tenant();
  await db.many(sql`update invitation set expires_at = now() where id = ${invitation.id}`);
  const { status, body } = await resend();
  assert.deepEqual([status, body.status, 'invite_link' in body], [200, 'pending', true]);
});

test('204: a revoked invitation is open no more, and its address may be invited again', async () => {
  const { admin, owner, workspace, invitation, revoke } = await tenant();
  const reply = await revoke(admin);
  assert.deepEqual([reply.status, reply.text], [204, '']);
  const path = `/api/organizations/${workspace}/invitations`;
  assert.deepEqual((await request('GET', path, { key: owner.key })).body, []);
  const audit = await db.many(sql`
    select actor_user_id, organization_id, before, after from audit_event
     where target_id = ${invitation.id} and action = 'invitation.revoke'`);
  assert.deepEqual(audit, [
    {
      actor_user_id: admin.id,
      organization_id: workspace,
      before: { email: 'eve@example.com', status: 'pending' },
      after: { email: 'eve@example.com', status: 'revoked' },
    },
  ]);
  const again = await request('POST', path, {
    key: owner.key,
    body: { email: 'eve@example.com', role: 'viewer' },
  });
  assert.equal(again.status, 201);
  assert.notEqual(again.body.id, invitation.id);
});

test('403: an admin may not resend the invitation of an admin if the owner keeps that, but may revoke it', async () => {
  const { admin, workspace, resend, revoke } = await tenant('admin');
  await db.many(sql`
    update organization set admins_manage_admins = false where id = ${workspace}`);
  const reply = await unchanged(() => resend(admin));
  assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides']);
  assert.equal((await resend()).status, 200);
  assert.equal((await revoke(admin)).status, 204);
});

test('404: one that was answered or revoked, that of another workspace or a project, and none', async () => {
  const { owner, workspace, invitation, resend, revoke } = await tenant();
  const other = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  const { id } = await db.one<{ id: string }>(sql`
    insert into invitation (project_id, scope, email, role_id)
    values (${project}, 'project', 'eve@example.com', '00000000-0000-4000-8000-000000000013')
    returning id`);
  for (const work of [resend, revoke]) {
    for (const unknown of [other.invitation.id, id, randomUUID()])
      assert.equal((await unchanged(() => work(owner, unknown))).status, 404);
    for (const status of ['accepted', 'declined', 'revoked']) {
      await close(invitation.id, status);
      const reply = await unchanged(() => work());
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
    }
  }
});

test('race: resent and revoked at once: each resend before the revocation counts, none after it', async () => {
  for (let round = 0; round < 8; round++) {
    const { invitation, resend, revoke } = await tenant();
    const [revoked, again, ...resent] = await Promise.all([
      revoke(),
      revoke(),
      resend(),
      resend(),
      resend(),
    ]);
    assert.deepEqual([revoked.status, again.status].sort(), [204, 404]);
    const done = resent.filter(({ status }) => status === 200).length;
    assert.ok(resent.every(({ status }) => status === 200 || status === 404));
    assert.deepEqual(
      await mails(invitation.id),
      Array.from({ length: done + 1 }, (_, i) => i + 1),
    );
    const [row] = await db.many(sql`
      select status, generation from invitation where id = ${invitation.id}`);
    assert.deepEqual(row, { status: 'revoked', generation: done + 1 });
  }
});
