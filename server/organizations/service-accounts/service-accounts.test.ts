import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { deactivateUser } from '../../identity/users/users.ts';
import { signedIn } from '../../testing/clients/browser.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;

async function tenant() {
  const [owner, admin, member] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ]);
  const org = await fixtures.workspace(owner);
  await fixtures.member(org, admin, 'admin');
  await fixtures.member(org, member);
  const path = `/api/organizations/${org}/service-accounts`;
  const create = (by: User, body: object = { name: 'Bot', role: 'member' }) =>
    request('POST', path, { key: by.key, body });
  return { owner, admin, member, org, path, create };
}

const keysOf = (id: string) => `/auth/service-accounts/${id}/keys`;

/** A service account with a key that a person has made in the dashboard. */
async function made(who: User, create: (by: User) => Promise<{ body: { id: string } }>) {
  const { body } = await create(who);
  const browser = await signedIn(harness, who);
  const key = await browser.request('POST', keysOf(body.id), { body: { name: 'CI' } });
  assert.equal(key.status, 201, key.text);
  return { id: body.id, key: key.body.key as string, keyId: key.body.id as string, browser };
}

test('201: a service account acts with its keys in its workspace alone, by its role, and is listed with people', async () => {
  const { owner, member, org, path, create } = await tenant();
  const { id, key } = await made(owner, create);
  const members = await request('GET', `/api/organizations/${org}/members`, { key });
  assert.equal(members.status, 200);
  const kinds = members.body.map((each: { kind?: string }) => each.kind);
  assert.deepEqual(kinds.filter(Boolean), ['service']);
  const project = await fixtures.project({ organizationId: org });
  const task = await request('POST', `/api/projects/${project}/tasks`, {
    key,
    body: { message: 'Look at the stock levels.' },
  });
  assert.deepEqual([task.status, task.body.created_by_user_id], [201, id]);
  const people = await request('GET', `/api/projects/${project}/people`, { key: member.key });
  const bot = people.body.find((each: { user_id: string }) => each.user_id === id);
  assert.deepEqual([bot.kind, bot.name, bot.email], ['service', 'Bot', `${id}@service.invalid`]);
  assert.ok(
    people.body.every(
      (each: { user_id: string; kind?: string }) => each.user_id === id || !('kind' in each),
    ),
  );
  const other = await fixtures.workspace(owner);
  assert.equal((await request('GET', `/api/organizations/${other}`, { key })).status, 403);
  const trail = await request('GET', `/api/organizations/${org}/audit-events?actor_user_id=${id}`, {
    key: owner.key,
  });
  assert.ok(JSON.stringify(trail.body).includes('task.create'), trail.text);
  const [listed] = (await request('GET', path, { key: owner.key })).body;
  assert.deepEqual([listed.id, listed.name, listed.role, listed.keys], [id, 'Bot', 'member', 1]);
});

test('200: it is renamed, given another role, a team and a role on a project like other members', async () => {
  const { owner, org, create } = await tenant();
  const { id, key } = await made(owner, create);
  const renamed = await request('PUT', `/api/service-accounts/${id}`, {
    key: owner.key,
    body: { name: 'Nightly' },
  });
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Nightly']);
  const stale = await unchanged(() =>
    request('PUT', `/api/service-accounts/${id}`, {
      key: owner.key,
      body: { name: 'x' },
      headers: { 'if-match': '"1"' },
    }),
  );
  assert.equal(stale.status, 412);
  const role = await request('PUT', `/api/organizations/${org}/members/${id}`, {
    key: owner.key,
    body: { role: 'viewer' },
  });
  assert.deepEqual([role.status, role.body.role], [200, 'viewer']);
  const project = await fixtures.project({ organizationId: org });
  const create2 = () =>
    request('POST', `/api/projects/${project}/tasks`, { key, body: { message: 'x' } });
  assert.equal((await create2()).status, 403);
  const grant = await request('PUT', `/api/projects/${project}/people/${id}`, {
    key: owner.key,
    body: { role: 'member' },
  });
  assert.equal(grant.status, 200, grant.text);
  assert.equal((await create2()).status, 201);
});

test('403, 404: members, service accounts and strangers make and change none', async () => {
  const { owner, admin, member, org, path, create } = await tenant();
  const bot = await fixtures.serviceAccount(org, { role: 'admin' });
  const { id } = await made(owner, create);
  const stranger = await fixtures.user();
  for (const [by, refused] of [
    [member, 403],
    [bot, 403],
    [stranger, 403],
  ] as const) {
    for (const [method, at, body] of [
      ['POST', path, { name: 'x', role: 'member' }],
      ['PUT', `/api/service-accounts/${id}`, { name: 'x' }],
      ['DELETE', `/api/service-accounts/${id}`, undefined],
      ['PUT', `/api/organizations/${org}/members/${id}`, { role: 'admin' }],
      ['DELETE', `/api/organizations/${org}/members/${id}`, undefined],
    ] as const) {
      const reply = await unchanged(() =>
        request(method, at, { key: by.key, ...(body && { body }) }),
      );
      assert.equal(reply.status, refused, `${method} ${at}`);
    }
  }
  const itself = `/api/organizations/${org}/members/${bot.id}`;
  assert.equal((await request('PUT', itself, { key: bot.key, body: {} })).status, 200);
  const browser = await signedIn(harness, member);
  const refused = await unchanged(() =>
    browser.request('POST', keysOf(id), { body: { name: 'x' } }),
  );
  assert.equal(refused.status, 403);
  await db.many(sql`update organization set admins_manage_admins = false where id = ${org}`);
  const asAdmin = await unchanged(() => create(admin, { name: 'x', role: 'admin' }));
  assert.deepEqual([asAdmin.status, asAdmin.body.code], [403, 'owner_decides']);
  const kept = await unchanged(() =>
    request('DELETE', `/api/service-accounts/${bot.id}`, { key: admin.key }),
  );
  assert.deepEqual([kept.status, kept.body.code], [403, 'owner_decides']);
});

test('403, 409, 422: it owns nothing, is invited nowhere, makes no workspace and no project of its own', async () => {
  const { owner, org } = await tenant();
  const bot = await fixtures.serviceAccount(org, { role: 'admin' });
  const refused = async (method: string, path: string, key: string, body?: object) => {
    const reply = await unchanged(() => request(method, path, { key, ...(body && { body }) }));
    return [reply.status, reply.body.code ?? reply.body.detail[0].type];
  };
  const at = `/api/organizations/${org}`;
  assert.deepEqual(await refused('POST', '/api/organizations', bot.key, { name: 'Mine' }), [
    403,
    'key_out_of_scope',
  ]);
  assert.deepEqual(
    await refused('POST', '/api/projects', bot.key, {
      name: 'Mine',
      erp_version: '18.0',
      erp_edition: 'community',
    }),
    [403, 'key_out_of_scope'],
  );
  const transfer = await unchanged(() =>
    request('POST', `${at}/transfer-ownership`, {
      key: owner.key,
      body: { new_owner_user_id: bot.id, force: false },
    }),
  );
  assert.equal(transfer.status, 422);
  const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });
  for (const [path, role] of [
    [`/api/organizations/${await fixtures.workspace(owner)}/invitations`, 'member'],
    [`/api/projects/${project}/invitations`, 'member'],
  ]) {
    const reply = await unchanged(() =>
      request('POST', path as string, { key: owner.key, body: { email: bot.email, role } }),
    );
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'service_account_invited']);
  }
  const balance = await unchanged(() =>
    request('DELETE', `${at}?transfer_balance_to_user_id=${bot.id}`, { key: owner.key }),
  );
  assert.equal(balance.status, 422);
});

test('the database refuses what only a person has, another workspace, another kind and an unscoped key', async () => {
  const { owner, org } = await tenant();
  const other = await fixtures.workspace(owner);
  const { id } = await fixtures.serviceAccount(org);
  const role = sql`(select id from role where organization_id is null and scope = 'workspace'
                     and slug = 'member')`;
  const hash = Buffer.alloc(32, 7);
  for (const query of [
    sql`insert into session (user_id, token_hash, expires_at) values (${id}, ${hash}, now() + interval '1 day')`,
    sql`insert into password (user_id, phc) values (${id}, 'x')`,
    sql`update organization set owner_user_id = ${id} where id = ${org}`,
    sql`insert into project (name, erp_version, erp_edition, owner_user_id)
        values ('x', '18.0', 'community', ${id})`,
    sql`insert into membership (organization_id, user_id, role_id) values (${other}, ${id}, ${role})`,
    sql`insert into membership (organization_id, user_id, role_id, user_kind, service_of)
        values (${other}, ${id}, ${role}, 'service', ${other})`,
    sql`insert into membership (organization_id, user_id, role_id, user_kind, service_of)
        values (${other}, ${id}, ${role}, 'service', ${org})`,
    sql`insert into api_key (user_id, name, secret_hash) values (${id}, 'x', ${hash})`,
    sql`insert into api_key (user_id, name, secret_hash, user_kind, service_of)
        values (${id}, 'x', ${hash}, 'service', ${org})`,
    sql`insert into api_key (user_id, name, secret_hash, user_kind, service_of, organization_id)
        values (${id}, 'x', ${hash}, 'service', ${other}, ${other})`,
    sql`update app_user set kind = 'person', service_of = null where id = ${id}`,
    sql`update app_user set service_of = ${other} where id = ${id}`,
    sql`update app_user set email = 'real@example.com' where id = ${id}`,
  ])
    await assert.rejects(
      db.transaction((tx) => tx.many(query)),
      /23|violates|never changes/,
    );
  await db.many(sql`
    insert into mail (kind, recipient, subject_id)
    values ('spend_limit', ${`${id}@service.invalid`}, gen_random_uuid())`);
  const queued = await db.many(sql`
    select from mail where recipient = ${`${id}@service.invalid`}`);
  assert.equal(queued.length, 0);
});

test('204: deleted, removed or with its workspace, its keys open nothing more, and what it has done keeps its name', async () => {
  const { owner, org, create } = await tenant();
  const project = await fixtures.project({ organizationId: org });
  const ends = {
    deleted: (id: string) => request('DELETE', `/api/service-accounts/${id}`, { key: owner.key }),
    removed: (id: string) =>
      request('DELETE', `/api/organizations/${org}/members/${id}`, { key: owner.key }),
    workspace: () => request('DELETE', `/api/organizations/${org}`, { key: owner.key }),
  };
  for (const end of [ends.deleted, ends.removed, ends.workspace]) {
    const { id, key } = await made(owner, create);
    const task = await request('POST', `/api/projects/${project}/tasks`, {
      key,
      body: { message: 'x' },
    });
    assert.equal(task.status, 201);
    await fixtures.taskStatus(task.body.id, 'cancelled');
    const reply = await end(id);
    assert.ok([200, 204].includes(reply.status), reply.text);
    assert.equal((await request('GET', '/api/account', { key })).status, 401);
    const [left] = await db.many<{ name: string; is_active: boolean }>(sql`
      select u.name, u.is_active from task t join app_user u on u.id = t.created_by_user_id
       where t.id = ${task.body.id}`);
    assert.deepEqual(left, { name: 'Bot', is_active: false });
  }
});

test('204: a key is revoked alone; 404 for a second time, another account and a stranger', async () => {
  const { owner, create, org } = await tenant();
  const { id, key, keyId, browser } = await made(owner, create);
  const other = await fixtures.serviceAccount(org);
  for (const at of [`${keysOf(other.id)}/${keyId}`, `${keysOf(owner.id)}/${keyId}`])
    assert.equal((await unchanged(() => browser.request('DELETE', at))).status, 404);
  const list = await browser.request('GET', keysOf(id));
  assert.deepEqual([list.body.length, list.text.includes(key)], [1, false]);
  assert.equal((await browser.request('DELETE', `${keysOf(id)}/${keyId}`)).status, 204);
  assert.equal((await request('GET', '/api/account', { key })).status, 401);
  assert.equal((await browser.request('DELETE', `${keysOf(id)}/${keyId}`)).status, 404);
});

test('an export of the workspace names it as whoever did something, and not among members, teams and roles', async () => {
  const { owner, org } = await tenant();
  const bot = await fixtures.serviceAccount(org);
  const project = await fixtures.project({ organizationId: org });
  await fixtures.grant(project, bot, 'admin');
  const team = await fixtures.team(org);
  await fixtures.teamMember(team, bot);
  await fixtures.task(project, bot);
  const { text } = await request('GET', `/api/organizations/${org}/export`, { key: owner.key });
  assert.ok(text.includes(bot.email));
  assert.ok(!/"(user|members)":\s*\[?"[^}\]]*BOT/.test(text.replaceAll(bot.id, 'BOT')), text);
});

test('a project that leaves the workspace leaves its service accounts behind', async () => {
  const { owner, org } = await tenant();
  const bot = await fixtures.serviceAccount(org);
  const project = await fixtures.project({ organizationId: org });
  await fixtures.grant(project, bot, 'admin');
  const next = await fixtures.workspace(owner);
  const moved = await request('POST', `/api/projects/${project}/transfer`, {
    key: owner.key,
    body: { organization_id: next },
  });
  assert.equal(moved.status, 200, moved.text);
  const left = await db.many(sql`select from project_grant where user_id = ${bot.id}`);
  assert.equal(left.length, 0);
});

test('race: of a key and the deletion of its account, none is left that opens something', async () => {
  const { owner, create } = await tenant();
  for (let round = 0; round < 5; round++) {
    const { id, browser } = await made(owner, create);
    await Promise.all([
      browser.request('POST', keysOf(id), { body: { name: 'late' } }),
      request('DELETE', `/api/service-accounts/${id}`, { key: owner.key }),
    ]);
    const open = await db.many(sql`
      select from api_key where user_id = ${id} and revoked_at is null`);
    assert.equal(open.length, 0);
  }
});

test('race: no more than fifty are made at once', async () => {
  const { owner, org, create } = await tenant();
  for (let n = 0; n < 48; n++) await fixtures.serviceAccount(org);
  const replies = await Promise.all(Array.from({ length: 5 }, () => create(owner)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 409, 409, 409]);
});

test('a workspace that requires a second factor lets its service accounts act; one that is deactivated cannot', async () => {
  const owner = await fixtures.user({ twoFactor: true });
  const org = await fixtures.workspace(owner, { require2fa: true });
  const bot = await fixtures.serviceAccount(org);
  const look = async () =>
    (await request('GET', `/api/organizations/${org}`, { key: bot.key })).status;
  assert.equal(await look(), 200);
  await db.transaction((tx) => deactivateUser(tx, { id: bot.id }));
  assert.equal(await look(), 401);
});
