import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness();

const path = (project: string, rest = '') => `/api/projects/${project}${rest}`;
const transfer = (project: string, by: User, body: unknown = {}, headers = {}) =>
  request('POST', path(project, '/transfer'), { key: by.key, body, headers });
/** Who can open the project, by user id: where their role comes from, and what it is. */
const peopleOf = async (project: string, by: User): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await request('GET', path(project, '/people'), { key: by.key })).body.map(
      (person: Record<string, string>) => [
        person.user_id,
        `${person.source} ${person.effective_role}`,
      ],
    ),
  );

/** A project in the workspace of `owner`, who also is in `elsewhere`, with the role given. */
async function tenant(role: 'owner' | 'admin' | 'member' | 'viewer' = 'owner') {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const other = role === 'owner' ? owner : await fixtures.user();
  const elsewhere = await fixtures.workspace(other);
  if (role !== 'owner') await fixtures.member(elsewhere, owner, role);
  return { owner, other, workspace, project, elsewhere };
}

test('200: from a workspace to another and to a person: owner, ETag, and both audit trails', async () => {
  const { owner, workspace, project, elsewhere } = await tenant('admin');
  const before = await request('GET', path(project), { key: owner.key });
  const moved = await transfer(project, owner, { organization_id: elsewhere });
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual([moved.body.organization_id, moved.body.role], [elsewhere, 'admin']);
  const read = await request('GET', path(project), { key: owner.key });
  assert.equal(moved.text, read.text);
  assert.equal(moved.headers.get('etag'), read.headers.get('etag'));
  assert.notEqual(moved.headers.get('etag'), before.headers.get('etag'));
  const rows = await db.many(sql`
    select action, organization_id, project_id, before, after from audit_event
     where target_id = ${project} and outcome = 'done' order by id`);
  const change = {
    before: { organization_id: workspace, owner_user_id: null },
    after: { organization_id: elsewhere, owner_user_id: null },
  };
  assert.deepEqual(rows, [
    { action: 'project.transfer', organization_id: workspace, project_id: project, ...change },
    { action: 'project.receive', organization_id: elsewhere, project_id: null, ...change },
  ]);
});

test('200: to the caller, and on into a workspace; the user of a personal project needs no role on it', async () => {
  const { owner, project, elsewhere } = await tenant();
  await fixtures.grant(project, owner, 'viewer');
  const mine = await transfer(project, owner);
  assert.deepEqual(
    [mine.body.owner_user_id, mine.body.organization_id, mine.body.role],
    [owner.id, undefined, 'admin'],
  );
  assert.deepEqual(await peopleOf(project, owner), { [owner.id]: 'override admin' });
  const shared = await transfer(project, owner, { organization_id: elsewhere });
  assert.deepEqual([shared.body.organization_id, shared.body.role], [elsewhere, 'owner']);
  assert.deepEqual(await peopleOf(project, owner), { [owner.id]: 'org owner' });
});

test('200: roles of members end, outside collaborators stay, and those who are members elsewhere have an override', async () => {
  const { owner, workspace, project, elsewhere } = await tenant();
  const [member, both, guest, joined] = (await Promise.all(
    [1, 2, 3, 4].map(() => fixtures.user()),
  )) as [User, User, User, User];
  await fixtures.member(workspace, member);
  for (const place of [workspace, elsewhere]) await fixtures.member(place, both, 'viewer');
  await fixtures.member(elsewhere, joined, 'viewer');
  for (const user of [member, both, guest, joined]) await fixtures.grant(project, user, 'admin');
  assert.equal((await transfer(project, owner, { organization_id: elsewhere })).status, 200);
  assert.deepEqual(await peopleOf(project, owner), {
    [owner.id]: 'org owner',
    [both.id]: 'org viewer',
    [guest.id]: 'collaborator admin',
    [joined.id]: 'override admin',
  });
  const refused = await request('GET', path(project), { key: member.key });
  assert.equal(refused.status, 403);
});

test('200: custom roles become the built-in ones they act as, also those of invitations; teams do not move', async () => {
  const { owner, workspace, project, elsewhere } = await tenant();
  const custom = await fixtures.role(workspace, { actsAs: 'viewer', scope: 'project' });
  const guest = await fixtures.user();
  await db.many(sql`
    insert into project_grant (project_id, user_id, role_id)
    values (${project}, ${guest.id}, ${custom})`);
  await db.many(sql`
    insert into invitation (project_id, scope, email, role_id)
    values (${project}, 'project', 'eve@example.com', ${custom})`);
  const [old, next] = [
    await fixtures.team(workspace),
    await fixtures.team(elsewhere, { addToNew: true }),
  ];
  await db.many(sql`
    insert into team_project (team_id, organization_id, project_id)
    values (${old}, ${workspace}, ${project})`);
  assert.equal((await transfer(project, owner, { organization_id: elsewhere })).status, 200);
  assert.equal((await peopleOf(project, owner))[guest.id], 'collaborator viewer');
  const roles = await db.many(sql`
    select r.slug, i.status from invitation i join role r on r.id = i.role_id
     where i.project_id = ${project}`);
  assert.deepEqual(roles, [{ slug: 'viewer', status: 'pending' }]);
  const teams = await db.many(sql`
    select team_id from team_project where team_id in (${old}, ${next})`);
  assert.deepEqual(teams, []);
});

test('200: a member whose team may create projects brings one, and administers it there', async () => {
  const { owner, project, elsewhere } = await tenant('viewer');
  const team = await fixtures.team(elsewhere);
  await fixtures.teamMember(team, owner);
  const body = { organization_id: elsewhere };
  const refused = await unchanged(() => transfer(project, owner, body));
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
  await db.many(sql`update team set can_create_projects = true where id = ${team}`);
  const headers = { 'idempotency-key': 'bring' };
  const moved = await transfer(project, owner, body, headers);
  assert.deepEqual([moved.status, moved.body.role], [200, 'admin']);
  assert.equal((await peopleOf(project, owner))[owner.id], 'override admin');
  // It is not theirs to transfer any more, but the answer to their request is.
  assert.equal((await unchanged(() => transfer(project, owner))).status, 403);
  const again = await unchanged(() => transfer(project, owner, body, headers));
  assert.deepEqual([again.status, again.text], [200, moved.text]);
});

test('403: everybody but the owner; a target where they may not create; policies of both places; a scoped key', async () => {
  const { owner, other, workspace, project, elsewhere } = await tenant('member');
  const [admin, guest] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.grant(project, guest, 'admin');
  const personal = await fixtures.project({ userId: other.id });
  await fixtures.grant(personal, guest, 'admin');
  const released = await fixtures.project({});
  await fixtures.grant(released, guest, 'admin');
  const refused = async (project: string, by: User, body: unknown, code = 'forbidden') => {
    const reply = await unchanged(() => transfer(project, by, body));
    assert.deepEqual([reply.status, reply.body.code], [403, code]);
  };
  for (const by of [admin, guest, other]) await refused(project, by, {});
  for (const each of [personal, released]) await refused(each, guest, {});
  await refused(project, owner, { organization_id: elsewhere });
  await refused(project, owner, { organization_id: await fixtures.workspace(guest) });

  const strict = await fixtures.workspace(owner, { require2fa: true });
  await refused(project, owner, { organization_id: strict }, 'two_factor_required');
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  await refused(project, owner, {}, 'two_factor_required');
  await db.many(sql`update organization set require_2fa = false where id = ${workspace}`);
  await db.many(sql`
    update api_key set organization_id = ${workspace} where user_id = ${owner.id}`);
  await refused(project, owner, {}, 'key_out_of_scope');
  const { n } = await db.one<{ n: bigint }>(sql`
    select count(*) as n from audit_event
     where action = 'project.transfer' and outcome = 'refused' and target_id = ${project}`);
  assert.equal(n, 8n);
});

test('422: the owner that it has already; null and unknown fields', async () => {
  const { owner, workspace, project } = await tenant();
  const personal = await fixtures.project({ userId: owner.id });
  const cases: [string, unknown, string][] = [
    [project, { organization_id: workspace }, 'already_owner'],
    [personal, {}, 'already_owner'],
    [project, { organization_id: null }, 'uuid_type'],
    [project, { owner_user_id: owner.id }, 'extra_forbidden'],
  ];
  for (const [id, body, type] of cases) {
    const reply = await unchanged(() => transfer(id, owner, body));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type], JSON.stringify(body));
  }
});
