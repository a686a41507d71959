import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { signIn } from '../testing/fixtures/identity/session.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// WORKSPACE_CREATION and PROJECT_CREATION; without them everybody creates both, as other tests show.

const both = (workspaces: string, projects: string) =>
  startHarness({ env: { WORKSPACE_CREATION: workspaces, PROJECT_CREATION: projects } });

type Started = Awaited<ReturnType<typeof both>>;

const workspaceBy = ({ request }: Started, { key }: User) =>
  request('POST', '/api/organizations', { key, body: { name: `W ${Math.random()}` } });
const projectBy = ({ request }: Started, { key }: User, organization_id?: string) =>
  request('POST', '/api/projects', {
    key,
    body: { name: 'P', ...(organization_id !== undefined && { organization_id }) },
  });

test('WORKSPACE_CREATION=operators and PROJECT_CREATION=operators: nobody else creates any, and is told so', async () => {
  const server = await both('operators', 'operators');
  const { fixtures, request, unchanged } = server;
  const [user, operator] = [await fixtures.user(), await fixtures.operator()];
  const org = await fixtures.workspace(user);
  const bot = await fixtures.serviceAccount(org, { role: 'admin' });
  for (const [refused, code] of [
    [() => workspaceBy(server, user), 'workspace_creation_closed'],
    [() => projectBy(server, user), 'project_creation_closed'],
    [() => projectBy(server, user, org), 'project_creation_closed'],
    [() => projectBy(server, bot, org), 'project_creation_closed'],
    // To be an operator gives no right in a workspace.
    [() => projectBy(server, operator, org), 'forbidden'],
  ] as const) {
    const { status, body } = await unchanged(refused);
    assert.deepEqual([status, body.code], [403, code]);
  }
  const made = await workspaceBy(server, operator);
  assert.equal(made.status, 201);
  assert.equal((await projectBy(server, operator, made.body.id)).status, 201);
  assert.equal((await projectBy(server, operator)).status, 201);
  const { body } = await request('GET', '/api/config', user);
  const { create_workspaces, create_projects } = body.features;
  assert.deepEqual([create_workspaces, create_projects], ['operators', 'operators']);
  // A move creates nothing.
  const project = await fixtures.project({ userId: user.id });
  const moved = await request('POST', `/api/projects/${project}/transfer`, {
    key: user.key,
    body: { organization_id: org },
  });
  assert.equal(moved.status, 200, moved.text);
});

test('PROJECT_CREATION=in_workspaces: no personal project comes into being, by no way', async () => {
  const server = await both('anyone', 'in_workspaces');
  const { db, fixtures, request, unchanged } = server;
  const user = await fixtures.user();
  const { body: workspace } = await workspaceBy(server, user);
  const inWorkspace = await projectBy(server, user, workspace.id);
  assert.equal(inWorkspace.status, 201);
  const released = await fixtures.project({});
  await fixtures.grant(released, user, 'admin');
  for (const refused of [
    () => projectBy(server, user),
    () =>
      request('POST', `/api/projects/${inWorkspace.body.id}/transfer`, { key: user.key, body: {} }),
    () => request('POST', `/api/projects/${released}/claim`, { key: user.key, body: {} }),
  ]) {
    const { status, body } = await unchangedButTrail(refused);
    assert.deepEqual([status, body.code], [403, 'personal_projects_closed']);
  }
  async function unchangedButTrail<Result>(work: () => Promise<Result>): Promise<Result> {
    const owners = sql`select id, organization_id, owner_user_id from project order by id`;
    const before = await db.many(owners);
    const result = await work();
    assert.deepEqual(await db.many(owners), before);
    return result;
  }
  const { body } = await unchanged(() => request('GET', '/api/config', user));
  assert.equal(body.features.create_projects, 'in_workspaces');
});

test('the session of an operator says so, and of nobody else', async () => {
  const server = await startHarness();
  const { fixtures, request } = server;
  const operatorOf = async (user: User) => {
    const { body } = await request('GET', '/auth/session', {
      headers: { cookie: await signIn(server, user) },
    });
    return body.user.operator;
  };
  assert.equal(await operatorOf(await fixtures.operator()), true);
  assert.equal(await operatorOf(await fixtures.user()), undefined);
});
