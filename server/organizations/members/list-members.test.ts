import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { genericPlan, watchStatements } from '../../testing/database/statements.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, databaseUrl } = await startHarness();

async function tenant() {
  const owner = await fixtures.user({ name: 'Zoe', email: `zoe-${randomUUID()}@example.com` });
  const workspace = await fixtures.workspace(owner);
  const join = async (
    name: string | null,
    role = 'member',
    more: { active?: boolean; twoFactor?: boolean; email?: string } = {},
  ) => {
    const user = await fixtures.user({ name, ...more });
    await fixtures.member(workspace, user, role);
    return user;
  };
  const path = `/api/organizations/${workspace}/members`;
  const list = async (query = '', by = owner) => {
    const reply = await request('GET', `${path}${query}`, { key: by.key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body as Record<string, unknown>[];
  };
  return { owner, workspace, path, join, list };
}

const names = (members: Record<string, unknown>[]) => members.map(({ name }) => name);

test('200: the owner first and shown as owner, then by name without regard to case, people without a name last', async () => {
  const { owner, workspace, join, list } = await tenant();
  const role = await fixtures.role(workspace, { name: 'Auditor', actsAs: 'viewer' });
  const ada = await join('ada', role, { twoFactor: true });
  await join('Bob', 'admin');
  const nameless = await join(null, 'viewer');
  await join('Ulf', 'member', { active: false });
  const team = await fixtures.team(workspace, { name: 'Core' });
  const second = await fixtures.team(workspace, { name: 'apps' });
  for (const each of [team, second]) await fixtures.teamMember(each, ada);
  const all = await list();
  assert.deepEqual(names(all), ['Zoe', 'ada', 'Bob', 'Ulf', undefined]);
  const { joined_at, updated_at, ...first } = all[0] as Record<string, unknown>;
  assert.ok(joined_at && updated_at);
  assert.deepEqual(first, {
    user_id: owner.id,
    email: owner.email,
    name: 'Zoe',
    role: 'owner',
    role_id: '00000000-0000-4000-8000-000000000001',
    role_name: 'Owner',
    role_color: '#7C3AED',
    is_owner: true,
    is_active: true,
    two_factor_enabled: false,
    teams: [],
  });
  const [, second_, bob, ulf, last] = all;
  assert.deepEqual(
    [second_?.role_id, second_?.role_name, second_?.role_color, second_?.two_factor_enabled],
    [role, 'Auditor', '#AA5533', true],
  );
  assert.deepEqual(second_?.teams, [
    { id: second, name: 'apps' },
    { id: team, name: 'Core' },
  ]);
  assert.deepEqual([bob?.role, bob?.is_owner, bob?.is_active], ['admin', false, true]);
  assert.equal(ulf?.is_active, false);
  assert.equal(last?.user_id, nameless.id);
});

test('200: every member may list, also those whom they cannot name; filters combine', async () => {
  const { workspace, join, list } = await tenant();
  const viewer = await join('Ünal 100%', 'viewer', { email: `under_score-${randomUUID()}@x.com` });
  const bob = await join('Bob', 'admin');
  await join('Bobby', 'viewer');
  const team = await fixtures.team(workspace);
  await fixtures.teamMember(team, bob);
  assert.equal((await list('', viewer)).length, 4);
  for (const [query, expected] of [
    ['?q=bOB', ['Bob', 'Bobby']],
    ['?q=%C3%BCNAL', ['Ünal 100%']],
    ['?q=0%25', ['Ünal 100%']],
    ['?q=UNDER_score', ['Ünal 100%']],
    ['?q=%25', ['Ünal 100%']],
    ['?q=b%25b', []],
    ['?q=%5C', []],
    ['?q=zzz', []],
    ['?role=admin', ['Bob']],
    ['?role=owner', ['Zoe']],
    ['?role=viewer&q=bob', ['Bobby']],
    [`?team_id=${team}`, ['Bob']],
    [`?team_id=${team}&role=viewer`, []],
    [`?team_id=${randomUUID()}`, []],
    ['?role=none', []],
  ] as const)
    assert.deepEqual(names(await list(query)), expected, query);
});

test('200: whatever the filters, no table is scanned', async () => {
  const { workspace, owner, list } = await tenant();
  const sent = new Set<string>();
  watchStatements(({ text, name }) => name && text.includes('team_member') && sent.add(text));
  const team = await fixtures.team(workspace);
  for (const filter of ['q=zoe', 'role=owner', `team_id=${team}`, `q=z&role=owner&team_id=${team}`])
    for (const limit of ['', '&limit=50']) await list(`?${filter}${limit}`, owner);
  assert.equal(sent.size, 8);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
  for (const text of sent) assert.doesNotMatch(await genericPlan(client, text), /Seq Scan/, text);
  await client.end();
});

test('200: a team of another workspace filters everybody out', async () => {
  const { owner, list } = await tenant();
  const elsewhere = await fixtures.workspace(owner);
  const foreign = await fixtures.team(elsewhere);
  await fixtures.teamMember(foreign, owner);
  assert.deepEqual(await list(`?team_id=${foreign}`), []);
});

test('200: pages of any size, with any filter, put together are the complete list', async () => {
  const { path, owner, join, list } = await tenant();
  for (const name of ['b', 'B', null, 'a', null, 'Zoe', 'c'])
    await join(name, 'viewer', { email: `page-${randomUUID()}@example.com` });
  for (const filter of ['', 'q=page', 'role=viewer']) {
    const whole = await list(`?${filter}`);
    for (const limit of [1, 3, 200]) {
      const pages: unknown[] = [];
      let next: string | undefined = `${path}?limit=${limit}&${filter}`;
      while (next !== undefined) {
        const reply = await request('GET', next, { key: owner.key });
        pages.push(...reply.body);
        next = /<(.*)>/.exec(reply.headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(pages, whole, `${filter} ${limit}`);
    }
  }
});
