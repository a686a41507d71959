import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { MOST_PROJECTS } from './project-owner.ts';

const { fixtures, request, db, unchanged, owner: asOwner } = await startHarness({ own: true });

const GOOD = { name: 'Web shop', erp_version: '18.0', erp_edition: 'community' };
const create = (by: { key: string }, body: object = {}) =>
  request('POST', '/api/projects', { key: by.key, body: { ...GOOD, ...body } });

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const member = async (role: 'admin' | 'member' | 'viewer' | (string & {})) => {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, role);
    return user;
  };
  /** A team whose members may create projects. */
  const creators = async (...users: User[]) => {
    const team = await fixtures.team(workspace);
    await db.many(sql`update team set can_create_projects = true where id = ${team}`);
    for (const user of users) await fixtures.teamMember(team, user);
    return team;
  };
  return { owner, workspace, member, creators };
}

test('201: a personal project of the caller, who administers it', async () => {
  const user = await fixtures.user();
  const { status, body, headers } = await create(user, { name: '  Cafe\u0301 ' });
  const { id, created_at, updated_at, available_actions, ...rest } = body;
  assert.equal(status, 201);
  assert.deepEqual(rest, {
    name: 'Café',
    owner_user_id: user.id,
    erp_version: '18.0',
    erp_edition: 'community',
    plan_approval: 'required',
    direct_push: 'nobody',
    archived: false,
    role: 'admin',
    role_id: '00000000-0000-4000-8000-000000000012',
    role_name: 'Project admin',
    role_color: '#1D4ED8',
    task_count: 0,
  });
  assert.equal(created_at, updated_at);
  assert.ok(available_actions.includes('update_project'));
  assert.equal(headers.get('location'), `/api/projects/${id}`);
  const got = await request('GET', `/api/projects/${id}`, { key: user.key });
  assert.deepEqual(got.body, body);
  assert.equal(got.headers.get('etag'), headers.get('etag'));
});

test('201: without an ERP version it is pinned to the first supported one, and an edition that goes with it', async () => {
  const user = await fixtures.user();
  const { body: config } = await request('GET', '/api/config', { key: user.key });
  const standard = config.erp.versions.find(
    ({ status }: { status: string }) => status === 'supported',
  );
  const made = async (body: object) => {
    const reply = await request('POST', '/api/projects', {
      key: user.key,
      body: { name: 'Bare', ...body },
    });
    return [reply.status, reply.body.erp_version, reply.body.erp_edition];
  };
  assert.deepEqual(await made({}), [201, standard.version, standard.editions[0]]);
  assert.deepEqual(await made({ erp_edition: 'enterprise' }), [
    201,
    standard.version,
    'enterprise',
  ]);
  assert.deepEqual(await made({ erp_version: '17.0' }), [201, '17.0', 'community']);
});

test('201: everything that may be set; an amount is a number or a decimal string', async () => {
  const { owner, workspace } = await tenant();
  const wanted = {
    organization_id: workspace,
    default_model: 'sandbox',
    plan_approval: 'automatic',
    spend_cap: '12.5',
  };
  const { body } = await create(owner, wanted);
  const { role, organization_id, default_model, plan_approval, spend_cap } = body;
  assert.deepEqual(
    { organization_id, default_model, plan_approval, spend_cap },
    { ...wanted, spend_cap: '12.50' },
  );
  assert.equal(role, 'owner');
  assert.equal((await create(owner, { spend_cap: 0.01 })).body.spend_cap, '0.01');
  const [audit] = await db.many<{ project_id: string; organization_id: string; after: object }>(
    sql`select project_id, organization_id, after from audit_event where target_id = ${body.id}`,
  );
  assert.deepEqual(audit, {
    project_id: body.id,
    organization_id: workspace,
    after: {
      ...GOOD,
      default_model: 'sandbox',
      plan_approval: 'automatic',
      spend_cap: '12.50',
      direct_push: 'nobody',
      archived: false,
    },
  });
});

test('201: teams with add_to_new_projects join it; names may be taken, also by a sibling', async () => {
  const { owner, workspace } = await tenant();
  const team = await fixtures.team(workspace, { addToNew: true });
  await fixtures.team(workspace);
  const [first, second] = [
    await create(owner, { organization_id: workspace }),
    await create(owner, { organization_id: workspace }),
  ];
  assert.deepEqual([first.status, second.status], [201, 201]);
  const joined = await db.many<{ team_id: string }>(
    sql`select team_id from team_project where project_id = ${first.body.id}`,
  );
  assert.deepEqual(joined, [{ team_id: team }]);
});

test('201: owner and admins create by their role, whoever is in a team that may by the team, and administer it', async () => {
  const { owner, workspace, member, creators } = await tenant();
  const custom = await fixtures.role(workspace, { name: 'Chief', actsAs: 'admin' });
  const [admin, chief, plain, viewer] = [
    await member('admin'),
    await member(custom),
    await member('member'),
    await member('viewer'),
  ];
  await creators(plain, viewer);
  for (const [by, role, granted] of [
    [owner, 'Owner', 0],
    [admin, 'Admin', 0],
    [chief, 'Chief', 0],
    [plain, 'Project admin', 1],
    [viewer, 'Project admin', 1],
  ] as const) {
    const { status, body } = await create(by, { organization_id: workspace });
    assert.deepEqual([status, body.role_name], [201, role]);
    const grants = await db.many(
      sql`select user_id from project_grant where project_id = ${body.id}`,
    );
    assert.equal(grants.length, granted);
    const renamed = await request('PUT', `/api/projects/${body.id}`, {
      key: by.key,
      body: { name: 'Renamed' },
    });
    assert.equal(renamed.status, 200, role);
  }
});

test('403: members and viewers without such a team, outside collaborators and strangers', async () => {
  const { workspace, member, creators } = await tenant();
  const [plain, viewer, guest] = [
    await member('member'),
    await member('viewer'),
    await fixtures.user(),
  ];
  await creators();
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, guest, 'admin');
  // A right in one workspace is none in another.
  const elsewhere = await tenant();
  await fixtures.member(elsewhere.workspace, plain, 'member');
  await elsewhere.creators(plain);
  for (const by of [plain, viewer, guest, await fixtures.user()]) {
    const reply = await unchanged(() => create(by, { organization_id: workspace }));
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
  }
});

test('403: without the second factor that the workspace requires, whatever the role', async () => {
  const owner = await fixtures.user({ twoFactor: true });
  const workspace = await fixtures.workspace(owner, { require2fa: true });
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const reply = await unchanged(() => create(admin, { organization_id: workspace }));
  assert.deepEqual([reply.status, reply.body.code], [403, 'two_factor_required']);
  assert.equal((await create(owner, { organization_id: workspace })).status, 201);
});

test('403: a key of one workspace creates nothing elsewhere, and nothing personal', async () => {
  const { owner, workspace } = await tenant();
  const other = await fixtures.workspace(owner);
  await asOwner(sql`update api_key set organization_id = ${workspace} where user_id = ${owner.id}`);
  for (const body of [{ organization_id: other }, {}]) {
    const reply = await unchanged(() => create(owner, body));
    assert.deepEqual([reply.status, reply.body.code], [403, 'key_out_of_scope']);
  }
  assert.equal((await create(owner, { organization_id: workspace })).status, 201);
});

test('409: a workspace or a person that owns 10,000 projects gets no more', async () => {
  const { owner, workspace } = await tenant();
  // In parts: a statement has ten seconds, also on a busy machine.
  const fill = async (organization: string | null, user: string | null) => {
    for (let from = 2; from <= MOST_PROJECTS; from += 1_000)
      await asOwner(sql`
        insert into project (organization_id, owner_user_id, name, erp_version, erp_edition)
        select ${organization}, ${user}, 'Project ' || n, '18.0', 'community'
          from generate_series(${from}::int, least(${from} + 999, ${MOST_PROJECTS})) n`);
  };
  for (const [body, fillUp] of [
    [{ organization_id: workspace }, () => fill(workspace, null)],
    [{}, () => fill(null, owner.id)],
  ] as const) {
    await fillUp();
    assert.equal((await create(owner, body)).status, 201);
    const reply = await unchanged(() => create(owner, body));
    assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_projects']);
  }
});

test('422: what the catalog does not offer, naming what it does, all in one list', async () => {
  const user = await fixtures.user();
  const refused = async (body: object) => {
    const reply = await unchanged(() => create(user, body));
    assert.equal(reply.status, 422);
    return reply.body.detail.map((item: { type: string; loc: string[]; input: unknown }) => [
      item.type,
      item.loc.at(-1),
      item.input,
    ]);
  };
  assert.deepEqual(await refused({ erp_version: '9.0', default_model: 'gpt-0' }), [
    ['erp_version_not_offered', 'erp_version', '9.0'],
    ['model_not_offered', 'default_model', 'gpt-0'],
  ]);
  assert.deepEqual(await refused({ erp_edition: 'online' }), [
    ['literal_error', 'erp_edition', 'online'],
  ]);
  const { body } = await create(user, { erp_version: '9.0' });
  assert.match(body.detail[0].msg, /choose one of 19\.0, 18\.0, 17\.0, 16\.0$/);
});

test('401: a revoked key is refused as such, also with input that only the handler checks', async () => {
  const user = await fixtures.user();
  assert.equal((await create(user)).status, 201);
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${user.id}`);
  assert.equal((await unchanged(() => create(user, { erp_version: '9.0' }))).status, 401);
});
