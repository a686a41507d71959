import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

const path = (project: string, query = '') => `/api/projects/${project}/people${query}`;
const ROLE = { member: { role: 'member', name: 'Member', color: '#059669' } };

async function tenant() {
  const owner = await fixtures.user({ name: 'Olga' });
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const person = async (
    name: string | null,
    role?: 'admin' | 'member' | 'viewer',
    options = {},
  ) => {
    const user = await fixtures.user({ name, ...options });
    if (role !== undefined) await fixtures.member(workspace, user, role);
    return user;
  };
  return { owner, workspace, project, person };
}

test('200: a member without a project role comes from the workspace, with names and colours', async () => {
  const { owner, project, person } = await tenant();
  const mia = await person('Mia', 'member');
  const { body } = await request('GET', path(project), { key: mia.key });
  assert.deepEqual(body, [
    {
      email: owner.email,
      is_org_member: true,
      is_owner: true,
      source: 'org',
      user_id: owner.id,
      effective_role: 'owner',
      effective_role_color: '#7C3AED',
      effective_role_name: 'Owner',
      is_active: true,
      name: 'Olga',
      org_role: 'owner',
      org_role_color: '#7C3AED',
      org_role_name: 'Owner',
    },
    {
      email: mia.email,
      is_org_member: true,
      is_owner: false,
      source: 'org',
      user_id: mia.id,
      effective_role: 'member',
      effective_role_color: ROLE.member.color,
      effective_role_name: ROLE.member.name,
      is_active: true,
      name: 'Mia',
      org_role: 'member',
      org_role_color: ROLE.member.color,
      org_role_name: ROLE.member.name,
    },
  ]);
});

test('200: a role set on the project is effective, also when it equals the workspace role', async () => {
  const { owner, project, person } = await tenant();
  const [lowered, same] = [await person('A', 'member'), await person('B', 'member')];
  await fixtures.grant(project, lowered, 'viewer');
  await fixtures.grant(project, same, 'member');
  const { body } = await request('GET', path(project), { key: owner.key });
  for (const [index, role] of [
    [1, 'viewer'],
    [2, 'member'],
  ] as const) {
    const { source, effective_role, org_role, project_role, effective_role_name } = body[index];
    assert.deepEqual(
      [source, effective_role, org_role, project_role],
      ['override', role, 'member', role],
    );
    assert.match(effective_role_name, /^Project /);
  }
});

test('200: owner and admin are never lowered; the ineffective project role is still shown', async () => {
  const { owner, project, person } = await tenant();
  const admin = await person('Adam', 'admin');
  await fixtures.grant(project, admin, 'viewer');
  await fixtures.grant(project, owner, 'viewer');
  const { body } = await request('GET', path(project), { key: owner.key });
  for (const person of body) {
    assert.deepEqual(
      [person.source, person.effective_role, person.project_role],
      ['org', person.org_role, 'viewer'],
    );
  }
  assert.deepEqual(
    body.map((person: { org_role: string }) => person.org_role),
    ['owner', 'admin'],
  );
});

test('200: a collaborator is listed with the project role; joining the workspace makes one row of both', async () => {
  const { owner, workspace, project, person } = await tenant();
  const guest = await person('Gus');
  await fixtures.grant(project, guest, 'member');
  const outside = (await request('GET', path(project), { key: guest.key })).body[1];
  assert.deepEqual(
    [outside.source, outside.is_org_member, outside.effective_role],
    ['collaborator', false, 'member'],
  );
  assert.ok(!('org_role' in outside));
  await fixtures.member(workspace, guest, 'viewer');
  const { body } = await request('GET', path(project), { key: owner.key });
  assert.equal(body.length, 2);
  assert.deepEqual(
    [body[1].source, body[1].is_org_member, body[1].effective_role],
    ['override', true, 'member'],
  );
});

test('200: a personal project has its user as owner; a released one has no owner', async () => {
  const { person } = await tenant();
  const [user, guest] = [await person('Una'), await person('Gus')];
  const personal = await fixtures.project({ userId: user.id });
  await fixtures.grant(personal, guest, 'viewer');
  const { body } = await request('GET', path(personal), { key: guest.key });
  assert.deepEqual(
    body.map((p: Record<string, unknown>) => [
      p.name,
      p.is_owner,
      p.source,
      p.is_org_member,
      p.effective_role,
    ]),
    [
      ['Una', true, 'override', false, 'admin'],
      ['Gus', false, 'collaborator', false, 'viewer'],
    ],
  );
  const released = await fixtures.project({});
  await fixtures.grant(released, guest, 'viewer');
  const alone = await request('GET', path(released), { key: guest.key });
  assert.deepEqual(
    alone.body.map((p: Record<string, unknown>) => [p.name, p.is_owner]),
    [['Gus', false]],
  );
});

test('200: only owners and admins see the people whose grant cannot be used now, and why', async () => {
  const { owner, workspace, project, person } = await tenant();
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  await db.many(sql`update app_user set two_factor = true where id = ${owner.id}`);
  const member = await person('Mia', 'member', { twoFactor: true });
  const careless = await person('Carl', 'member');
  const gone = await person('Dora', 'member', { active: false });
  const former = await person('Finn', undefined, { active: false });
  await fixtures.grant(project, former, 'member');
  const names = (body: { name: string }[]) => body.map(({ name }) => name);
  const seen = (await request('GET', path(project), { key: owner.key })).body;
  assert.deepEqual(names(seen), ['Olga', 'Carl', 'Dora', 'Mia', 'Finn']);
  assert.deepEqual(
    seen.map((p: Record<string, unknown>) => [p.is_active, p.hidden_reason]),
    [
      [true, undefined],
      [false, 'two_factor_required'],
      [false, 'deactivated'],
      [true, undefined],
      [false, 'deactivated'],
    ],
  );
  assert.deepEqual(names((await request('GET', path(project), { key: member.key })).body), [
    'Olga',
    'Mia',
  ]);
  const refused = await request('GET', path(project), { key: careless.key });
  assert.deepEqual([refused.status, refused.body.code], [403, 'two_factor_required']);
  assert.equal((await request('GET', path(project), { key: gone.key })).status, 401);
});

test('200: owner first, then members by lower name (nameless last), email and id, then collaborators', async () => {
  const { owner, project, person } = await tenant();
  const tag = randomUUID().slice(0, 8);
  await person('zoe', 'viewer');
  await person('Émile', 'viewer');
  await person(null, 'member', { email: `b-${tag}@example.com` });
  await person(null, 'member', { email: `a-${tag}@example.com` });
  await person('adam', 'viewer', { email: `2-${tag}@example.com` });
  await person('Adam', 'viewer', { email: `1-${tag}@example.com` });
  for (const name of ['Bea', 'Abe']) await fixtures.grant(project, await person(name), 'viewer');
  const { body } = await request('GET', path(project), { key: owner.key });
  assert.deepEqual(
    body.map((p: { name?: string; email: string }) => p.name ?? p.email[0]),
    ['Olga', 'Adam', 'adam', 'zoe', 'Émile', 'a', 'b', 'Abe', 'Bea'],
  );
});

test('200: pages by limit and cursor are the whole list, in its order', async () => {
  const { owner, project, person } = await tenant();
  for (const name of ['Cy', null, 'ab', 'Ab', 'Dee']) await person(name, 'member');
  await fixtures.grant(project, await person('Guest'), 'viewer');
  const whole = await request('GET', path(project), { key: owner.key });
  assert.equal(whole.headers.get('link'), null);
  for (const limit of [1, 2, 3, 6, 7, 200]) {
    const pages: unknown[] = [];
    let next: string | undefined = path(project, `?limit=${limit}`);
    while (next !== undefined) {
      const page: Awaited<ReturnType<typeof request>> = await request('GET', next, {
        key: owner.key,
      });
      assert.ok(page.body.length <= limit);
      pages.push(...page.body);
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(pages, whole.body, `limit ${limit}`);
  }
});

test('403: a stranger, a former member and a collaborator of another project may not list', async () => {
  const { workspace, project, person } = await tenant();
  const [stranger, former, guest] = [
    await person('S'),
    await person('F', 'member'),
    await person('G'),
  ];
  await fixtures.grant(project, former, 'member');
  await fixtures.removeMember(workspace, former.id);
  await fixtures.grant(await fixtures.project({ organizationId: workspace }), guest, 'member');
  for (const { key } of [stranger, former, guest]) {
    assert.equal((await request('GET', path(project), { key })).status, 403);
  }
});

test('404: no such project', async () => {
  const { owner } = await tenant();
  assert.equal((await request('GET', path(randomUUID()), { key: owner.key })).status, 404);
});

test('422: limits out of range and foreign cursors', async () => {
  const { owner, project } = await tenant();
  const cases: [string, string][] = [
    ['limit=0', 'greater_than_equal'],
    ['limit=201', 'less_than_equal'],
    ['limit=x', 'int_parsing'],
    ['cursor=x', 'cursor_invalid'],
    [
      `limit=2&cursor=${Buffer.from('["9","0","a","b","c"]').toString('base64url')}`,
      'cursor_invalid',
    ],
  ];
  for (const [query, type] of cases) {
    const reply = await request('GET', path(project, `?${query}`), { key: owner.key });
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type], query);
  }
});
