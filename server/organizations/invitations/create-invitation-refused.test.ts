import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged, owner: asOwner } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const invite = (body: object, by: { key: string } = owner) =>
    request('POST', `/api/organizations/${workspace}/invitations`, { key: by.key, body });
  return { owner, workspace, invite };
}

test('403: an admin may not invite admins if the owner keeps that; the owner may, and so for custom roles', async () => {
  const { workspace, invite } = await tenant();
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const custom = await fixtures.role(workspace, { actsAs: 'admin' });
  await db.many(sql`
    update organization set admins_manage_admins = false where id = ${workspace}`);
  for (const role of [{ role: 'admin' }, { role_id: custom }]) {
    const reply = await unchanged(() => invite({ email: 'eve@example.com', ...role }, admin));
    assert.deepEqual([reply.status, reply.body.code], [403, 'owner_decides']);
    assert.equal((await invite({ email: 'eve@example.com', ...role })).status, 201);
  }
  assert.equal((await invite({ email: 'ann@example.com', role: 'member' }, admin)).status, 201);
});

test('409: whoever is a member already, in any case of the address', async () => {
  const { owner, workspace, invite } = await tenant();
  const gone = await fixtures.user({ email: `Gone-${randomUUID()}@example.com`, active: false });
  await fixtures.member(workspace, gone);
  for (const email of [owner.email.toUpperCase(), gone.email.toLowerCase()]) {
    const reply = await unchanged(() => invite({ email, role: 'member' }));
    assert.deepEqual([reply.status, reply.body.code], [409, 'already_member']);
  }
});

test('409: a workspace has at most 1000 open invitations, but those may be renewed', async () => {
  const { workspace, invite } = await tenant();
  await asOwner(sql`
    insert into invitation (organization_id, email, role_id)
    select ${workspace}, 'i' || n || '@example.com', '00000000-0000-4000-8000-000000000003'
      from generate_series(1, 1000) n`);
  const reply = await unchanged(() => invite({ email: 'one-more@example.com', role: 'member' }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_invitations']);
  assert.equal((await invite({ email: 'I7@example.com', role: 'viewer' })).status, 201);
});

test('422: exactly one role, which can be given here', async () => {
  const { workspace, invite } = await tenant();
  const foreign = await fixtures.role((await tenant()).workspace);
  const ofProjects = await fixtures.role(workspace, { scope: 'project' });
  const email = 'eve@example.com';
  const cases: [object, string, string][] = [
    [{}, 'role_or_role_id', 'role'],
    [
      { role: 'member', role_id: '00000000-0000-4000-8000-000000000003' },
      'role_or_role_id',
      'role',
    ],
    [{ role: 'owner' }, 'literal_error', 'role'],
    [{ role_id: '00000000-0000-4000-8000-000000000001' }, 'role_not_found', 'role_id'],
    [{ role_id: '00000000-0000-4000-8000-000000000013' }, 'role_not_found', 'role_id'],
    [{ role_id: ofProjects }, 'role_not_found', 'role_id'],
    [{ role_id: foreign }, 'role_not_found', 'role_id'],
    [{ role_id: randomUUID() }, 'role_not_found', 'role_id'],
    [{ role: null }, 'literal_error', 'role'],
  ];
  for (const [role, type, field] of cases) {
    const reply = await unchanged(() => invite({ email, ...role }));
    assert.deepEqual(
      [reply.status, reply.body.detail[0].type, reply.body.detail[0].loc],
      [422, type, ['body', field]],
      JSON.stringify(role),
    );
  }
});

test('422: an address that is none, or that smuggles another header or recipient into a mail', async () => {
  const { invite } = await tenant();
  for (const email of [
    'eve',
    'eve@',
    '@example.com',
    'a b@example.com',
    null,
    7,
    undefined,
    'eve@example.com\nBcc: all@example.com',
    'eve\r\n@example.com',
    'a@b.de,c@d.de',
    'Eve <eve@example.com>',
    '"a b"@example.com',
    `${'x'.repeat(250)}@example.com`,
  ])
    assert.equal((await unchanged(() => invite({ email, role: 'member' }))).status, 422);
});

test('422: teams are those of this workspace, each once, at most 100; each fault at its place', async () => {
  const { workspace, invite } = await tenant();
  const [team, foreign] = [
    await fixtures.team(workspace),
    await fixtures.team((await tenant()).workspace),
  ];
  const send = (team_ids: unknown) =>
    unchanged(() => invite({ email: 'eve@example.com', role: 'member', team_ids }));
  const reply = await send([team, foreign, randomUUID(), team.toUpperCase()]);
  assert.equal(reply.status, 422);
  assert.deepEqual(
    reply.body.detail.map(({ type, loc, input }: Record<string, unknown>) => [type, loc, input]),
    [
      ['team_not_found', ['body', 'team_ids', 1], foreign],
      ['team_not_found', ['body', 'team_ids', 2], reply.body.detail[1].input],
      ['team_repeated', ['body', 'team_ids', 3], team.toUpperCase()],
    ],
  );
  for (const [team_ids, type] of [
    [Array(101).fill(team), 'too_long'],
    [team, 'list_type'],
    [['core'], 'uuid_parsing'],
    [null, 'list_type'],
  ])
    assert.equal((await send(team_ids)).body.detail[0].type, type);
});
