import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, owner: asOwner } = await startHarness();

const path = (project: string) => `/api/projects/${project}`;

test('200: the whole project, with what the caller acts as and may do there', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.task(project, owner);
  const reply = await request('GET', path(project), { key: owner.key });
  const { name, created_at, updated_at, available_actions, ...rest } = reply.body;
  assert.deepEqual(rest, {
    id: project,
    organization_id: workspace,
    erp_version: '18.0',
    erp_edition: 'community',
    plan_approval: 'required',
    direct_push: 'nobody',
    archived: false,
    role: 'owner',
    role_id: '00000000-0000-4000-8000-000000000001',
    role_name: 'Owner',
    role_color: '#7C3AED',
    task_count: 1,
  });
  assert.match(name, /^Project /);
  assert.ok(created_at <= updated_at);
  assert.ok(available_actions.includes('get_project'));
  assert.match(reply.headers.get('etag') ?? '', /^"\d+"$/);
});

test('200: what may be empty is left out until it has a value; money is a decimal string', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  await db.many(sql`
    update project
       set default_model = 'small', spend_cap = 12500000, plan_approval = 'automatic',
           archived_at = '2026-11-21T08:15:30.123Z'
     where id = ${project}`);
  const { body } = await request('GET', path(project), { key: owner.key });
  assert.deepEqual(
    [body.owner_user_id, body.organization_id, body.role],
    [owner.id, undefined, 'admin'],
  );
  assert.deepEqual(
    [body.default_model, body.spend_cap, body.plan_approval, body.archived, body.archived_at],
    ['small', '12.50', 'automatic', true, '2026-11-21T08:15:30.123Z'],
  );
});

test('200: the role is the one that counts here, custom ones by their own name', async () => {
  const [owner, admin, lowered, custom, guest] = (await Promise.all(
    Array.from({ length: 5 }, () => fixtures.user()),
  )) as [Person, Person, Person, Person, Person];
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, lowered, 'member');
  const role = await fixtures.role(workspace, { name: 'Reviewer', actsAs: 'viewer' });
  await fixtures.member(workspace, custom, role);
  for (const user of [owner, admin, lowered]) await fixtures.grant(project, user, 'viewer');
  await fixtures.grant(project, guest, 'member');
  const seen = async ({ key }: Person) => {
    const { body } = await request('GET', path(project), { key });
    return [body.role_name, body.role_color];
  };
  assert.deepEqual(await seen(owner), ['Owner', '#7C3AED']);
  assert.deepEqual(await seen(admin), ['Admin', '#2563EB']);
  assert.deepEqual(await seen(lowered), ['Project viewer', '#4B5563']);
  assert.deepEqual(await seen(custom), ['Reviewer', '#AA5533']);
  assert.deepEqual(await seen(guest), ['Project member', '#047857']);
});

test('403: a key of one workspace opens no project outside it', async () => {
  const owner = await fixtures.user();
  const [workspace, other] = [await fixtures.workspace(owner), await fixtures.workspace(owner)];
  await asOwner(sql`update api_key set organization_id = ${workspace} where user_id = ${owner.id}`);
  const status = async (whose: { organizationId?: string; userId?: string }) =>
    (await request('GET', path(await fixtures.project(whose)), { key: owner.key })).status;
  assert.equal(await status({ organizationId: workspace }), 200);
  assert.equal(await status({ organizationId: other }), 403);
  assert.equal(await status({ userId: owner.id }), 403);
});

type Person = Awaited<ReturnType<typeof fixtures.user>>;
