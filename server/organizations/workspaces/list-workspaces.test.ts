import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();
const path = '/api/organizations';

type Workspace = Record<string, unknown> & { id: string; name: string };

test('200: only the caller’s workspaces, by name, each with their role, its counts and what they may do', async () => {
  const [me, other] = [await fixtures.user(), await fixtures.user()];
  const owned = await fixtures.workspace(me, { name: 'beta' });
  const joined = await fixtures.workspace(other, { name: 'Alpha' });
  await fixtures.workspace(other, { name: 'Not mine' });
  const role = await fixtures.role(joined, { name: 'Auditor', actsAs: 'viewer' });
  await fixtures.member(joined, me, role);
  for (const _ of [1, 2]) await fixtures.project({ organizationId: joined });

  const { status, body } = await request('GET', path, { key: me.key });
  assert.equal(status, 200);
  const [alpha, beta] = body as [Workspace, Workspace];
  assert.deepEqual([body.length, alpha.name, beta.name], [2, 'Alpha', 'beta']);
  const { id, is_owner, role_id, role_name, role_color, member_count, project_count } = alpha;
  assert.deepEqual(
    { id, is_owner, role_id, role_name, role_color, member_count, project_count },
    {
      id: joined,
      is_owner: false,
      role_id: role,
      role_name: 'Auditor',
      role_color: '#AA5533',
      member_count: 2,
      project_count: 2,
    },
  );
  assert.deepEqual(
    [beta.id, beta.role, beta.role_name, beta.is_owner, beta.member_count, beta.project_count],
    [owned, 'owner', 'Owner', true, 1, 0],
  );
  for (const each of body as Workspace[]) {
    const read = await request('GET', `${path}/${each.id}`, { key: me.key });
    assert.deepEqual(read.body, each, 'the list and the workspace itself differ');
  }
});

test('200: a workspace that a person has left is not in their list; without one it is empty', async () => {
  const [owner, former] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, former);
  assert.equal((await request('GET', path, { key: former.key })).body.length, 1);
  await fixtures.removeMember(workspace, former.id);
  assert.equal((await request('GET', path, { key: former.key })).text, '[]');
});

test('200: pages are parts of the whole list, also of equal names', async () => {
  const me = await fixtures.user();
  for (const name of ['Same', 'Same', 'same', 'Äpfel', 'zeta'])
    await fixtures.workspace(me, { name });
  const whole = (await request('GET', path, { key: me.key })).body as Workspace[];
  assert.equal(whole.length, 5);
  const pages: Workspace[] = [];
  let next: string | undefined = `${path}?limit=2`;
  while (next !== undefined) {
    const reply: Awaited<ReturnType<typeof request>> = await request('GET', next, { key: me.key });
    pages.push(...reply.body);
    next = /^<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});

test('200: a workspace whose two-factor policy the caller does not meet is listed without actions, and opens with the factor', async () => {
  const [owner, careless] = [await fixtures.user({ twoFactor: true }), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { require2fa: true });
  await fixtures.member(workspace, careless, 'admin');
  const listed = async () => (await request('GET', path, { key: careless.key })).body[0];
  const open = () => request('GET', `${path}/${workspace}`, { key: careless.key });
  assert.deepEqual((await listed()).available_actions, []);
  const refused = await open();
  assert.deepEqual([refused.status, refused.body.code], [403, 'two_factor_required']);
  await db.many(sql`update app_user set two_factor = true where id = ${careless.id}`);
  assert.equal((await open()).status, 200);
  assert.ok((await listed()).available_actions.includes('update_workspace'));
});

test('200: a key of one workspace sees that one alone, and nothing once its user is no member', async () => {
  const me = await fixtures.user();
  const [mine] = [await fixtures.workspace(me), await fixtures.workspace(me)];
  const scopedTo = (workspace: string) =>
    db.many(sql`update api_key set organization_id = ${workspace} where user_id = ${me.id}`);
  await scopedTo(mine);
  const ids = async () =>
    (await request('GET', path, { key: me.key })).body.map(({ id }: Workspace) => id);
  assert.deepEqual(await ids(), [mine]);
  await scopedTo(await fixtures.workspace(await fixtures.user()));
  assert.deepEqual(await ids(), []);
});

test('403 and 404: strangers and collaborators see no workspace; there is no unknown one', async () => {
  const [owner, guest] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'admin');
  const reply = await request('GET', `${path}/${workspace}`, { key: guest.key });
  assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  assert.equal((await request('GET', path, { key: guest.key })).text, '[]');
  const unknown = await request('GET', `${path}/${crypto.randomUUID()}`, { key: owner.key });
  assert.equal(unknown.status, 404);
});
