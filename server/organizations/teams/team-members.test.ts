import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const [owner, admin, member] = [
    await fixtures.user({ name: 'Zoe' }),
    await fixtures.user({ name: null }),
    await fixtures.user({ name: 'ada' }),
  ];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'viewer');
  const team = await fixtures.team(workspace);
  const path = `/api/organizations/${workspace}/teams/${team}`;
  const send = (method: 'PUT' | 'DELETE', by: User, whom: User, headers = {}) =>
    request(method, `${path}/members/${whom.id}`, { key: by.key, headers });
  const read = () => request('GET', path, { key: member.key });
  const list = (by = member) => request('GET', `${path}/members`, { key: by.key });
  return { owner, admin, member, workspace, team, path, send, read, list };
}

const names = (people: { name?: string }[]) => people.map(({ name }) => name);

test('204: a member is put into the team and taken out of it, each once, and the team has changed', async () => {
  const { owner, admin, member, team, send, read, list } = await tenant();
  const before = await read();
  for (const whom of [owner, admin, member])
    assert.equal((await send('PUT', owner, whom)).status, 204);
  const full = await read();
  assert.equal(full.body.member_count, 3);
  assert.ok(full.body.updated_at > before.body.updated_at);
  assert.notEqual(full.headers.get('etag'), before.headers.get('etag'));
  const { body } = await list();
  assert.deepEqual(names(body), ['ada', 'Zoe', undefined]);
  assert.deepEqual(body[0], {
    user_id: member.id,
    email: member.email,
    name: 'ada',
    is_active: true,
  });
  assert.equal((await unchanged(() => send('PUT', admin, member))).status, 204);
  assert.equal((await send('DELETE', admin, member)).status, 204);
  assert.equal((await unchanged(() => send('DELETE', admin, member))).status, 204);
  assert.deepEqual(names((await list()).body), ['Zoe', undefined]);
  const audit = await db.many<{ action: string; user_id: string }>(sql`
    select action, coalesce(before, after) ->> 'user_id' as user_id from audit_event
     where target_id = ${team} order by occurred_at`);
  assert.deepEqual(
    audit.map(({ action, user_id }) => [action, user_id]),
    [
      ...[owner, admin, member].map(({ id }) => ['team.add_member', id]),
      ['team.remove_member', member.id],
    ],
  );
});

test('200: the list in pages is the complete list; a deactivated member is listed as such', async () => {
  const { owner, workspace, path, send } = await tenant();
  for (const name of ['b', 'B', null, 'c']) {
    const user = await fixtures.user({ name, active: name !== 'c' });
    await fixtures.member(workspace, user, 'member');
    await send('PUT', owner, user);
  }
  const whole = (await request('GET', `${path}/members`, { key: owner.key })).body;
  assert.deepEqual(
    whole.map((each: { name?: string; is_active: boolean }) => [each.name, each.is_active]).at(2),
    ['c', false],
  );
  const pages: unknown[] = [];
  let next: string | undefined = `${path}/members?limit=1`;
  while (next !== undefined) {
    const reply = await request('GET', next, { key: owner.key });
    pages.push(...reply.body);
    next = /<(.*)>/.exec(reply.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});

test('412: an ETag from before a person joined the team, left it or left the workspace', async () => {
  const { owner, member, workspace, path, send, read } = await tenant();
  const joins = () => send('PUT', owner, member);
  const leaves = () => send('DELETE', owner, member);
  const isRemoved = () =>
    request('DELETE', `/api/organizations/${workspace}/members/${member.id}`, { key: owner.key });
  for (const change of [joins, leaves, joins, isRemoved]) {
    const etag = (await read()).headers.get('etag') as string;
    assert.ok([200, 204].includes((await change()).status));
    const call = { key: owner.key, headers: { 'if-match': etag } };
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { name: 'Late' } : undefined;
      const reply = await unchanged(() => request(method, path, { ...call, body }));
      assert.deepEqual([reply.status, reply.body.code], [412, 'team_changed'], change.name);
    }
  }
});

test('403: members and strangers change nothing; a stranger and a collaborator see nothing either', async () => {
  const { owner, member, workspace, send, list } = await tenant();
  const [stranger, collaborator] = [await fixtures.user(), await fixtures.user()];
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, collaborator, 'admin');
  for (const by of [member, stranger, collaborator]) {
    for (const method of ['PUT', 'DELETE'] as const) {
      const reply = await unchanged(() => send(method, by, owner));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
      const outsider = await unchanged(() => send(method, by, stranger));
      assert.equal(outsider.text, reply.text, 'reveals who is a member');
    }
  }
  for (const by of [stranger, collaborator]) assert.equal((await list(by)).status, 403);
});

test('404: who is no member of the workspace, and a team of another one', async () => {
  const { owner, member, workspace, send } = await tenant();
  const [stranger, former] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, former);
  await fixtures.removeMember(workspace, former.id);
  for (const method of ['PUT', 'DELETE'] as const) {
    for (const whom of [stranger, former])
      assert.equal((await unchanged(() => send(method, owner, whom))).status, 404);
    const foreign = await fixtures.team(await fixtures.workspace(owner));
    const path = `/api/organizations/${workspace}/teams/${foreign}/members/${member.id}`;
    assert.equal((await unchanged(() => request(method, path, { key: owner.key }))).status, 404);
  }
});

test('race: a member is removed from the workspace while they are put into a team: they are in none afterwards', async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 12; i++) {
    const { owner, admin, member, workspace, team, send } = await tenant();
    const [added, removed] = await Promise.all([
      send('PUT', admin, member),
      request('DELETE', `/api/organizations/${workspace}/members/${member.id}`, { key: owner.key }),
    ]);
    seen.add(`${added.status} ${removed.status} ${removed.body.teams_left}`);
    const left = await db.many(sql`select user_id from team_member where team_id = ${team}`);
    assert.deepEqual(left, []);
  }
  for (const outcome of seen) assert.ok(['204 200 1', '404 200 0'].includes(outcome), outcome);
});

test('race: a team is deleted while members are put into it and taken out of it; all end', async () => {
  for (let i = 0; i < 8; i++) {
    const { owner, admin, member, path, send } = await tenant();
    await send('PUT', owner, admin);
    const replies = await Promise.all([
      request('DELETE', path, { key: owner.key }),
      send('PUT', owner, member),
      send('DELETE', owner, admin),
      send('PUT', admin, owner),
    ]);
    for (const { status, text } of replies) assert.ok([204, 404].includes(status), text);
    assert.equal((await request('GET', path, { key: owner.key })).status, 404);
  }
});

test('race: the same member twice: both 204, in it once, recorded once', async () => {
  const { owner, admin, member, team, send } = await tenant();
  const replies = await Promise.all([send('PUT', owner, member), send('PUT', admin, member)]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204],
  );
  const audit = await db.many(sql`select id from audit_event where target_id = ${team}`);
  assert.equal(audit.length, 1);
});
