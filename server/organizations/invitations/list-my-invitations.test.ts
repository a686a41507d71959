import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

const mine = async ({ key }: User, query = '') =>
  (await request('GET', `/api/invitations${query}`, { key })).body;

const decline = (id: string, { key }: User) =>
  request('POST', `/api/invitations/${id}/decline`, { key });

const toProject = async (project: string, email: string) =>
  (
    await db.one<{ id: string }>(sql`
      insert into invitation (project_id, scope, email, role_id, invited_by_name)
      values (${project}, 'project', ${email}, '00000000-0000-4000-8000-000000000013', 'Ada')
      returning id`)
  ).id;

test('200: those to workspaces and to projects, in any case of the address, with what they are to and no link', async () => {
  const owner = await fixtures.user();
  const eve = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  await db.many(sql`
    update organization set color = '#3355AA', icon = 'rocket', require_2fa = true
     where id = ${workspace}`);
  const first = await fixtures.invitation(workspace, {
    email: eve.email.toUpperCase(),
    role: 'viewer',
    by: owner,
  });
  const project = await fixtures.project({ userId: owner.id });
  const second = await toProject(project, eve.email);
  const { name } = await db.one<{ name: string }>(
    sql`select name from project where id = ${project}`,
  );
  const shown = (await mine(eve)).map(
    ({ created_at, expires_at, ...rest }: Record<string, string>) => {
      assert.ok((created_at as string) < (expires_at as string));
      return rest;
    },
  );
  assert.deepEqual(shown, [
    {
      id: second,
      kind: 'project',
      email: eve.email,
      role: 'member',
      role_id: '00000000-0000-4000-8000-000000000013',
      role_name: 'Project member',
      role_color: '#047857',
      invited_by_name: 'Ada',
      project_id: project,
      project_name: name,
      require_2fa_before_join: false,
    },
    {
      id: first,
      kind: 'workspace',
      email: eve.email.toUpperCase(),
      role: 'viewer',
      role_id: '00000000-0000-4000-8000-000000000004',
      role_name: 'Viewer',
      role_color: '#6B7280',
      invited_by_name: 'Inviter',
      organization_id: workspace,
      organization_name: 'Acme',
      organization_color: '#3355AA',
      organization_icon: 'rocket',
      require_2fa_before_join: true,
    },
  ]);
});

test('200: only one’s own invitations that can still be accepted', async () => {
  const owner = await fixtures.user();
  const eve = await fixtures.user();
  const { email } = eve;
  for (const status of ['accepted', 'declined', 'revoked'])
    await fixtures.invitation(await fixtures.workspace(owner), { email, status });
  await fixtures.invitation(await fixtures.workspace(owner), { email, expiresInHours: -1 });
  await fixtures.invitation(await fixtures.workspace(owner), { email: `${email}.example` });
  await fixtures.invitation(await fixtures.workspace(owner), { email: `x${email}` });
  assert.deepEqual(await mine(eve), []);
  assert.deepEqual(await mine(owner), []);
});

test('200: newest first, in pages of 50 unless another size is asked for', async () => {
  const owner = await fixtures.user();
  const eve = await fixtures.user();
  for (let n = 0; n < 53; n++)
    await fixtures.invitation(await fixtures.workspace(owner), {
      email: eve.email,
      createdAt: new Date(Date.now() - (n % 7) * 60_000),
    });
  const collect = async (query: string) => {
    const sizes: number[] = [];
    const all: { id: string; created_at: string }[] = [];
    let next: string | undefined = `/api/invitations${query}`;
    while (next !== undefined) {
      const page: Awaited<ReturnType<typeof request>> = await request('GET', next, {
        key: eve.key,
      });
      sizes.push(page.body.length);
      all.push(...page.body);
      next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    return { sizes, all };
  };
  const { sizes, all } = await collect('');
  assert.deepEqual(sizes, [50, 3]);
  const keys = all.map(({ created_at, id }) => `${created_at} ${id}`);
  assert.deepEqual(keys, [...keys].sort().reverse());
  const paged = await collect('?limit=20');
  assert.deepEqual([paged.sizes, paged.all], [[20, 20, 13], all]);
});

test('204: a declined invitation is no longer listed for anyone; an expired one may be declined too', async () => {
  const owner = await fixtures.user();
  const eve = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { require2fa: true });
  const project = await fixtures.project({ organizationId: workspace });
  for (const [id, projectId] of [
    [await fixtures.invitation(workspace, { email: eve.email, expiresInHours: -1 }), null],
    [await toProject(project, eve.email), project],
  ] as [string, string | null][]) {
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/api/invitations/${id}/decline`;
    const reply = await request('POST', path, { key: eve.key, headers });
    assert.deepEqual([reply.status, reply.text], [204, '']);
    const again = await request('POST', path, { key: eve.key, headers });
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [204, 'true']);
    const audit = await db.many(sql`
      select actor_user_id, organization_id, project_id, before, after from audit_event
       where target_id = ${id}`);
    assert.deepEqual(audit, [
      {
        actor_user_id: eve.id,
        organization_id: workspace,
        project_id: projectId,
        before: { status: 'pending' },
        after: { status: 'declined' },
      },
    ]);
    assert.equal((await unchanged(() => decline(id, eve))).status, 404);
  }
  assert.deepEqual(await mine(eve), []);
});

test('403 and 404: only the invited person declines, and only what is open', async () => {
  const owner = await fixtures.user();
  const eve = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  for (const status of ['pending', 'accepted', 'revoked']) {
    const id = await fixtures.invitation(workspace, { email: eve.email, status });
    for (const by of [owner, await fixtures.user()]) {
      const reply = await unchanged(() => decline(id, by));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
    if (status !== 'pending') assert.equal((await unchanged(() => decline(id, eve))).status, 404);
  }
  assert.equal((await unchanged(() => decline(randomUUID(), eve))).status, 404);
});
