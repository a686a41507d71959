import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace, { name: 'Core' });
  return { owner, workspace, team, path: `/api/organizations/${workspace}/teams/${team}` };
}

test('200: a rename keeps every permission, and all eleven fields are answered', async () => {
  const { owner, workspace, team, path } = await tenant();
  const reply = await request('PUT', path, { key: owner.key, body: { name: '  Platform ' } });
  assert.equal(reply.status, 200);
  const { created_at, updated_at, ...rest } = reply.body;
  assert.deepEqual(rest, {
    id: team,
    organization_id: workspace,
    name: 'Platform',
    add_to_new_projects: false,
    can_create_projects: false,
    can_merge_production: false,
    can_merge_staging: true,
    member_count: 0,
    project_count: 0,
  });
  assert.ok(updated_at >= created_at);
  const [audit] = await db.many<{ before: { name: string }; after: { name: string } }>(
    sql`select before, after from audit_event where target_id = ${team}`,
  );
  assert.deepEqual([audit?.before.name, audit?.after.name], ['Core', 'Platform']);
});

test('200: each flag can be set and unset by itself', async () => {
  const { owner, path } = await tenant();
  for (const flag of [
    'add_to_new_projects',
    'can_create_projects',
    'can_merge_production',
    'can_merge_staging',
  ]) {
    for (const value of [true, false]) {
      const before = (await request('PUT', path, { key: owner.key, body: {} })).body;
      const after = (await request('PUT', path, { key: owner.key, body: { [flag]: value } })).body;
      assert.deepEqual(
        { ...after, updated_at: null },
        { ...before, [flag]: value, updated_at: null },
      );
    }
  }
});

test('200: {} and the values it has already write nothing', async () => {
  const { owner, path } = await tenant();
  const first = await request('PUT', path, { key: owner.key, body: {} });
  for (const body of [{}, { name: 'Core' }, first.body]) {
    const reply = await unchanged(() => request('PUT', path, { key: owner.key, body }));
    assert.equal(reply.text, first.text);
    assert.equal(reply.headers.get('etag'), first.headers.get('etag'));
  }
});

test('200: the whole team may be sent back with one field changed; read-only fields are ignored', async () => {
  const { owner, path } = await tenant();
  const team = (await request('PUT', path, { key: owner.key, body: {} })).body;
  const sent = { ...team, name: 'Edited', id: randomUUID(), member_count: 99, created_at: null };
  const reply = await request('PUT', path, { key: owner.key, body: sent });
  assert.equal(reply.body.name, 'Edited');
  assert.equal(reply.body.id, team.id);
  assert.equal(reply.body.member_count, 0);
});

test('200: counts are those of the team', async () => {
  const { owner, workspace, team, path } = await tenant();
  const project = await fixtures.project({ organizationId: workspace });
  await db.many(
    sql`
      insert into team_member (team_id, organization_id, user_id)
        values (${team}, ${workspace}, ${owner.id})`,
  );
  await db.many(
    sql`
      insert into team_project (team_id, organization_id, project_id)
        values (${team}, ${workspace}, ${project})`,
  );
  const { body } = await request('PUT', path, { key: owner.key, body: {} });
  assert.deepEqual([body.member_count, body.project_count], [1, 1]);
});

test('200: changing only the case of its own name works; an admin may do it', async () => {
  const { workspace, path } = await tenant();
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const reply = await request('PUT', path, { key: admin.key, body: { name: 'CORE' } });
  assert.equal(reply.body.name, 'CORE');
});

test('200: 100 code points are a name, composed to NFC', async () => {
  const { owner, path } = await tenant();
  const longest = await request('PUT', path, { key: owner.key, body: { name: '😀'.repeat(100) } });
  assert.equal(longest.body.name, '😀'.repeat(100));
  const composed = await request('PUT', path, { key: owner.key, body: { name: 'Cafe\u0301' } });
  assert.equal(composed.body.name, 'Caf\u00e9');
});

test('200: add_to_new_projects looks forward only', async () => {
  const { owner, workspace, team, path } = await tenant();
  const before = await fixtures.project({ organizationId: workspace });
  await request('PUT', path, { key: owner.key, body: { add_to_new_projects: true } });
  const after = await fixtures.project({ organizationId: workspace });
  const projects = await db.many<{ project_id: string }>(
    sql`select project_id from team_project where team_id = ${team}`,
  );
  assert.deepEqual(projects, [{ project_id: after }]);
  assert.notEqual(before, after);
});

test('200: a fresh ETag in If-Match lets the change through', async () => {
  const { owner, path } = await tenant();
  const etag = (await request('PUT', path, { key: owner.key, body: {} })).headers.get(
    'etag',
  ) as string;
  const reply = await request('PUT', path, {
    key: owner.key,
    body: { name: 'Next' },
    headers: { 'if-match': etag },
  });
  assert.equal(reply.status, 200);
  assert.notEqual(reply.headers.get('etag'), etag);
});

test('403: members, viewers and strangers may not update a team', async () => {
  const { workspace, path } = await tenant();
  const [member, viewer, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, member, 'member');
  await fixtures.member(workspace, viewer, 'viewer');
  for (const { key } of [member, viewer, stranger]) {
    const reply = await unchanged(() => request('PUT', path, { key, body: { name: 'Mine' } }));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
});

test('404: no such workspace, no such team, and a team of another workspace of the same admin', async () => {
  const { owner, workspace, team } = await tenant();
  const elsewhere = await fixtures.workspace(owner);
  const foreign = await fixtures.team(elsewhere);
  for (const path of [
    `${randomUUID()}/teams/${team}`,
    `${workspace}/teams/${randomUUID()}`,
    `${workspace}/teams/${foreign}`,
  ]) {
    const reply = await unchanged(() =>
      request('PUT', `/api/organizations/${path}`, { key: owner.key, body: { name: 'X' } }),
    );
    assert.equal(reply.status, 404, path);
  }
});

test('412: a stale If-Match changes nothing', async () => {
  const { owner, path } = await tenant();
  const etag = (await request('PUT', path, { key: owner.key, body: {} })).headers.get(
    'etag',
  ) as string;
  await request('PUT', path, { key: owner.key, body: { name: 'Changed' } });
  for (const body of [{ name: 'Late' }, {}]) {
    const reply = await unchanged(() =>
      request('PUT', path, { key: owner.key, body, headers: { 'if-match': etag } }),
    );
    assert.deepEqual([reply.status, reply.body.code], [412, 'team_changed']);
  }
});

test('422: null, other types, unknown fields, empty and too long names are refused together', async () => {
  const { owner, path } = await tenant();
  const bodies: [unknown, string[]][] = [
    [{ name: null, can_merge_staging: null }, ['string_type', 'bool_type']],
    [
      { name: 'a'.repeat(101), add_to_new_projects: 'true', can_create_projects: 1 },
      ['string_too_long', 'bool_type', 'bool_type'],
    ],
    [{ name: '   ', can_merge_produktion: true }, ['string_too_short', 'extra_forbidden']],
    [{ name: 'a\u0000b' }, ['control_characters']],
    [{ role: 'admin', owner_user_id: owner.id }, ['extra_forbidden', 'extra_forbidden']],
  ];
  for (const [body, types] of bodies) {
    const reply = await unchanged(() => request('PUT', path, { key: owner.key, body }));
    assert.equal(reply.status, 422);
    assert.deepEqual(
      reply.body.detail.map(({ type }: { type: string }) => type),
      types,
    );
  }
});

test('422: a name that another team of the workspace has is taken, however it is written; elsewhere it is free', async () => {
  const { owner, workspace, path } = await tenant();
  await fixtures.team(workspace, { name: 'Straße' });
  await fixtures.team(workspace, { name: 'می\u200cخواهم ❤\ufe0f' });
  await fixtures.team(await fixtures.workspace(owner), { name: 'Free' });
  for (const name of ['STRASSE', 'STRAßE', 'Ｓｔｒａｓｓｅ', 'میخواهم  ❤']) {
    const reply = await unchanged(() => request('PUT', path, { key: owner.key, body: { name } }));
    assert.equal(reply.status, 422, name);
    assert.deepEqual(reply.body.detail[0].type, 'team_name_taken');
    assert.deepEqual(reply.body.detail[0].loc, ['body', 'name']);
    assert.equal(reply.body.detail[0].input, name);
  }
  assert.equal(
    (await request('PUT', path, { key: owner.key, body: { name: 'Free' } })).status,
    200,
  );
});

test('422: names that people cannot tell from others, or cannot see', async () => {
  const { owner, path } = await tenant();
  for (const [name, type] of [
    ['\u200b', 'character_not_allowed'],
    ['\u2800', 'character_not_allowed'],
    ['\u3164', 'character_not_allowed'],
    ['\uffff', 'character_not_allowed'],
    ['Core\u200b', 'character_not_allowed'],
    ['\u202eeroC', 'character_not_allowed'],
    ['\u0301', 'no_visible_character'],
  ]) {
    const reply = await unchanged(() => request('PUT', path, { key: owner.key, body: { name } }));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
  }
});

test('race: two renames to one name: one wins, the other gets 422 team_name_taken', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, workspace, path } = await tenant();
    const other = `/api/organizations/${workspace}/teams/${await fixtures.team(workspace)}`;
    const replies = await Promise.all(
      [path, other].map((p) => request('PUT', p, { key: owner.key, body: { name: 'Same' } })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422]);
    const taken = await db.many(
      sql`select id from team where organization_id = ${workspace} and name = 'Same'`,
    );
    assert.equal(taken.length, 1);
  }
});

test('race: two changes of different fields are both kept', async () => {
  const { owner, path } = await tenant();
  await Promise.all([
    request('PUT', path, { key: owner.key, body: { can_merge_production: true } }),
    request('PUT', path, { key: owner.key, body: { name: 'Both' } }),
  ]);
  const { body } = await request('PUT', path, { key: owner.key, body: {} });
  assert.deepEqual([body.name, body.can_merge_production], ['Both', true]);
});
