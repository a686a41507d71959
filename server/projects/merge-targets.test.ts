import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

const MAIN = { branch: 'main', stage: 'production' };
const NEXT = { branch: '17.0-next', stage: 'staging' };

async function tenant() {
  const [owner, viewer] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, viewer, 'viewer');
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/projects/${project}/merge-targets`;
  const read = () => request('GET', path, { key: viewer.key });
  const set = (body: unknown, by: User = owner, headers = {}) =>
    request('PUT', path, { key: by.key, body, headers });
  const audit = () =>
    db.many(sql`
      select actor_user_id, organization_id, target_id, before, after from audit_event
       where project_id = ${project} and action = 'merge_target.update' order by occurred_at`);
  return { owner, workspace, project, path, read, set, audit };
}

test('200: a project begins with `main`, and the list is replaced as a whole', async () => {
  const { owner, workspace, project, read, set, audit } = await tenant();
  const first = await read();
  assert.deepEqual([first.status, first.body], [200, [MAIN]]);
  const reply = await set([MAIN, NEXT]);
  assert.deepEqual([reply.status, reply.body], [200, [NEXT, MAIN]]);
  assert.notEqual(reply.headers.get('etag'), first.headers.get('etag'));
  const second = await read();
  assert.deepEqual(second.body, reply.body);
  assert.equal(second.headers.get('etag'), reply.headers.get('etag'));
  const staged = { ...MAIN, stage: 'staging' };
  assert.deepEqual((await set([staged])).body, [staged]);
  assert.deepEqual((await set([])).body, []);
  assert.deepEqual((await read()).body, []);
  const by = { actor_user_id: owner.id, organization_id: workspace, target_id: project };
  const [m, n, s] = [[MAIN], [NEXT, MAIN], [staged]];
  assert.deepEqual(
    await audit(),
    [
      [m, n],
      [n, s],
      [s, []],
    ].map(([before, after]) => ({
      ...by,
      before: { merge_targets: before },
      after: { merge_targets: after },
    })),
  );
});

test('200: the same list in another order writes nothing', async () => {
  const { read, set, audit } = await tenant();
  const { headers } = await set([MAIN, NEXT]);
  const again = await unchanged(() => set([NEXT, MAIN]));
  assert.deepEqual([again.status, again.body], [200, [NEXT, MAIN]]);
  assert.equal(again.headers.get('etag'), headers.get('etag'));
  assert.equal((await read()).headers.get('etag'), headers.get('etag'));
  assert.equal((await audit()).length, 1);
});

test('200: twenty of them, with names of 200 bytes and of any letters', async () => {
  const { read, set } = await tenant();
  const targets = Array.from({ length: 20 }, (_, i) => ({
    branch: `${'é'.repeat(99)}${String.fromCodePoint(97 + i)}`,
    stage: 'staging',
  }));
  assert.equal((await set(targets)).status, 200);
  assert.deepEqual((await read()).body, targets);
});

test('412: If-Match of a list that has changed since; nothing is written', async () => {
  const { owner, read, set } = await tenant();
  const old = (await read()).headers.get('etag') as string;
  const now = (await set([NEXT], owner, { 'if-match': old })).headers.get('etag') as string;
  for (const tag of [old, 'W/"x"', `W/${now}`, 'nonsense']) {
    const reply = await unchanged(() => set([MAIN], owner, { 'if-match': tag }));
    assert.deepEqual([reply.status, reply.body.code], [412, 'merge_targets_changed'], tag);
  }
  for (const tag of [now, '*', `"a", ${now}`])
    assert.equal((await set([NEXT], owner, { 'if-match': tag })).status, 200, tag);
});

test('422: what is no list of targets, by place', async () => {
  const { owner, path, set } = await tenant();
  const refused = async (body: unknown, type: string, ...loc: (string | number)[]) => {
    const reply = await unchanged(() => set(body));
    const found = reply.body.detail.map((item: { type: string; loc: unknown }) => [
      item.type,
      item.loc,
    ]);
    assert.deepEqual([reply.status, found[0]], [422, [type, ['body', ...loc]]]);
  };
  await refused({ merge_targets: [] }, 'list_type');
  await refused('main', 'list_type');
  await refused(null, 'missing');
  await refused(undefined, 'missing');
  await refused([null], 'model_attributes_type', 0);
  await refused([MAIN, { branch: 'x' }], 'missing', 1, 'stage');
  await refused([{ ...MAIN, stage: 'dev' }], 'literal_error', 0, 'stage');
  await refused([{ ...MAIN, host: 'local' }], 'extra_forbidden', 0, 'host');
  await refused([NEXT, { ...MAIN, branch: 5 }], 'string_type', 1, 'branch');
  await refused([MAIN, NEXT, { ...MAIN, stage: 'staging' }], 'branch_repeated', 2, 'branch');
  await refused([MAIN, { ...NEXT, branch: 'task/x' }], 'branch_of_task', 1, 'branch');
  await refused([{ ...NEXT, branch: '' }], 'string_too_short', 0, 'branch');
  await refused([{ ...NEXT, branch: 'é'.repeat(101) }], 'branch_name_too_long', 0, 'branch');
  await refused([{ ...NEXT, branch: 'x'.repeat(4096) }], 'string_too_long', 0, 'branch');
  for (const branch of ['..', '-o', 'a b', 'a\u0000', 'a\u001b', 'refs/heads/a.lock', '@', 'a\n'])
    await refused([{ ...NEXT, branch }], 'string_pattern_mismatch', 0, 'branch');
  for (const branch of ['HEAD', 'refs/heads/main', 'refs/x', 'main\u00a0'])
    await refused([{ ...NEXT, branch }], 'string_pattern_mismatch', 0, 'branch');
  for (const branch of ['ma\u202ein', 'main\u200b', '\u2066x', 'a\ufdd0'])
    await refused([{ ...NEXT, branch }], 'character_not_allowed', 0, 'branch');
  const many = Array.from({ length: 21 }, (_, i) => ({ ...NEXT, branch: `b${i}` }));
  await refused(many, 'too_long');
  const raw = '[{"branch":"a","stage":"staging","__proto__":{"stage":"production"}}]';
  const reply = await unchanged(() => request('PUT', path, { key: owner.key, raw }));
  assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'extra_forbidden']);
});

test('race: two with the same If-Match: one writes, the other is refused', async () => {
  for (let i = 0; i < 12; i++) {
    const { owner, read, set, audit } = await tenant();
    const tag = { 'if-match': (await read()).headers.get('etag') as string };
    const lists = [[NEXT], [MAIN, { branch: 'test', stage: 'staging' }]];
    const replies = await Promise.all(lists.map((list) => set(list, owner, tag)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412]);
    const won = replies.findIndex(({ status }) => status === 200);
    assert.deepEqual((await read()).body, lists[won]);
    assert.equal((await audit()).length, 1);
  }
});

test('race: several without If-Match, and the project is deleted: one whole list, or nothing', async () => {
  for (let i = 0; i < 8; i++) {
    const { owner, project, read, set } = await tenant();
    const lists = ['a', 'b', 'c'].map((name) =>
      ['1', '2', '3'].map((number) => ({ branch: name + number, stage: 'staging' })),
    );
    const replies = await Promise.all(lists.map((list) => set(list)));
    for (const { status, text } of replies) assert.equal(status, 200, text);
    const left = (await read()).body;
    assert.ok(
      lists.some((list) => JSON.stringify(list) === JSON.stringify(left)),
      JSON.stringify(left),
    );
    const [late, deleted] = await Promise.all([
      set([NEXT]),
      request('DELETE', `/api/projects/${project}`, { key: owner.key }),
    ]);
    assert.ok([200, 404].includes(late.status), late.text);
    assert.equal(deleted.status, 200);
    assert.deepEqual(
      await db.many(sql`select branch from merge_target where project_id = ${project}`),
      [],
    );
  }
});
