import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { plannedTask } from '../../testing/fixtures/tasks/planned-task.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const TEXT = 'one\ntwo\nthree\nfour\n';
const say = (plan: string, { key }: User, body: object) =>
  request('POST', `${plan}/comments`, { key, body: { text: 'Why?', ...body } });
const revise = (plan: string, { key }: User, text: string) =>
  request('PUT', plan, { key, body: { text }, headers: { 'if-match': '*' } });
const list = async (plan: string, { key }: User, query = '') =>
  (await request('GET', `${plan}/comments${query}`, { key })).body;

test('201: on a line or several of the current version, with who made it in the audit trail', async () => {
  const { owner, task, plan } = await plannedTask(fixtures, TEXT);
  const { status, body, headers } = await say(plan, owner, {
    version: 1,
    start_line: 2,
    end_line: 3,
    text: ' Why\nso? ',
  });
  const { id, created_at, updated_at, ...rest } = body;
  assert.deepEqual([status, created_at], [201, updated_at]);
  assert.deepEqual(rest, {
    task_id: task,
    version: 1,
    start_line: 2,
    end_line: 3,
    place: 'kept',
    current_start_line: 2,
    current_end_line: 3,
    text: ' Why\nso? ',
    resolved: false,
    author_user_id: owner.id,
  });
  assert.equal(headers.get('location'), `${plan}/comments/${id}`);
  const one = await say(plan, owner, { version: 1, start_line: 4 });
  assert.deepEqual(await list(plan, owner), [body, one.body]);
  const [audit] = await db.many(sql`
    select action, actor_user_id, after from audit_event where target_id = ${id}`);
  assert.deepEqual(audit, {
    action: 'plan_comment.create',
    actor_user_id: owner.id,
    after: { version: 1, start_line: 2, end_line: 3, text: ' Why\nso? ', resolved: false },
  });
});

test('over new versions a comment is kept, moves with its lines, or is outdated for good', async () => {
  const { owner, plan } = await plannedTask(fixtures, TEXT);
  const made = [
    { version: 1, start_line: 1 },
    { version: 1, start_line: 2, end_line: 3 },
    { version: 1, start_line: 3, end_line: 4 },
    { version: 1, start_line: 4 },
  ];
  for (const body of made) assert.equal((await say(plan, owner, body)).status, 201);
  const places = async () =>
    (await list(plan, owner)).map((each: Record<string, unknown>) => [
      each.place,
      each.current_start_line,
      each.current_end_line,
    ]);
  await revise(plan, owner, 'one\nnew\ntwo\nthree\nfour\n');
  assert.deepEqual(await places(), [
    ['kept', 1, 1],
    ['moved', 3, 4],
    ['moved', 4, 5],
    ['moved', 5, 5],
  ]);
  // A line that changes, and one that comes between two.
  await revise(plan, owner, 'zero\none\nnew\ntwo\n3\nfour\n');
  assert.deepEqual(await places(), [
    ['moved', 2, 2],
    ['outdated', undefined, undefined],
    ['outdated', undefined, undefined],
    ['moved', 6, 6],
  ]);
  await revise(plan, owner, TEXT);
  assert.deepEqual((await places())[0], ['kept', 1, 1]);
  assert.deepEqual((await places())[1], ['outdated', undefined, undefined]);
});

test('201: on an older version, placed where its lines are now', async () => {
  const { owner, plan } = await plannedTask(fixtures, TEXT, `new\n${TEXT}`, `new\nnew\n${TEXT}`);
  const placed = async (version: number, start_line: number) => {
    const { body } = await say(plan, owner, { version, start_line });
    return [body.place, body.start_line, body.current_start_line];
  };
  assert.deepEqual(await placed(1, 2), ['moved', 2, 4]);
  assert.deepEqual(await placed(3, 6), ['kept', 6, 6]);
  await revise(plan, owner, 'something else');
  assert.deepEqual(await placed(1, 2), ['outdated', 2, undefined]);
});

test('200: its author changes and resolves it; what changes nothing writes nothing', async () => {
  const { owner, plan } = await plannedTask(fixtures, TEXT);
  const { body } = await say(plan, owner, { version: 1, start_line: 1 });
  const path = `${plan}/comments/${body.id}`;
  const update = (change: object, headers = {}) =>
    request('PUT', path, { key: owner.key, body: change, headers });
  await unchanged(async () => {
    assert.deepEqual((await update({})).body, body);
    assert.deepEqual((await update(body)).body, body);
  });
  const resolved = (await update({ resolved: true })).body;
  assert.deepEqual([resolved.resolved, resolved.resolved_by_user_id], [true, owner.id]);
  await unchanged(() => update({ resolved: true }));
  assert.deepEqual(await list(plan, owner, '?resolved=false'), []);
  assert.deepEqual(await list(plan, owner, '?resolved=true'), [resolved]);
  const open = await update({ resolved: false, text: 'Another' });
  assert.deepEqual(
    [open.body.resolved, open.body.resolved_at, open.body.text],
    [false, undefined, 'Another'],
  );
  const stale = await unchanged(() => update({ text: 'x' }, { 'if-match': '"1"' }));
  assert.deepEqual([stale.status, stale.body.code], [412, 'comment_changed']);
  const etag = open.headers.get('etag') as string;
  assert.equal((await update({ text: 'x' }, { 'if-match': etag })).status, 200);
});

test('403: only the author and those who administer the project change or delete a comment', async () => {
  const { workspace, project, plan, may, mayNot } = await plannedTask(fixtures, TEXT);
  const [owner, member, guest] = may as [User, User, User];
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const guestAdmin = await fixtures.user();
  await fixtures.grant(project, guestAdmin, 'admin');
  for (const person of mayNot)
    assert.equal(
      (await unchanged(() => say(plan, person, { version: 1, start_line: 1 }))).status,
      403,
    );
  const { body } = await say(plan, member, { version: 1, start_line: 1 });
  const path = `${plan}/comments/${body.id}`;
  for (const { key } of [guest, ...mayNot])
    await unchanged(async () => {
      assert.equal((await request('PUT', path, { key, body: { text: 'x' } })).status, 403);
      assert.equal((await request('DELETE', path, { key })).status, 403);
    });
  for (const { key, id } of [owner, admin, guestAdmin, member]) {
    const reply = await request('PUT', path, { key, body: { text: `by ${id}` } });
    assert.deepEqual([reply.status, reply.body.author_user_id], [200, member.id]);
  }
  assert.equal((await request('DELETE', path, { key: guestAdmin.key })).status, 204);
  assert.equal((await request('DELETE', path, { key: guestAdmin.key })).status, 404);
  // Who is only a viewer by now does not change what they said before.
  const mine = (await say(plan, guest, { version: 1, start_line: 1 })).body;
  await db.many(sql`
    update project_grant set role_id = (select id from role where organization_id is null
       and scope = 'project' and slug = 'viewer') where user_id = ${guest.id}`);
  const reply = await request('DELETE', `${plan}/comments/${mine.id}`, { key: guest.key });
  assert.equal(reply.status, 403);
});

test('404 and 422: no plan, no such comment here, no such version, and lines that it does not have', async () => {
  const { owner, project, plan } = await plannedTask(fixtures, TEXT);
  const other = await plannedTask(fixtures, TEXT);
  const bare = await fixtures.task(project, owner);
  const foreign = (await say(other.plan, other.owner, { version: 1, start_line: 1 })).body.id;
  await unchanged(async () => {
    const none = await say(`/api/tasks/${bare}/plan`, owner, { version: 1, start_line: 1 });
    assert.deepEqual([none.status, none.body.code], [404, 'plan_not_found']);
    for (const id of [foreign, randomUUID()])
      for (const method of ['PUT', 'DELETE']) {
        const body = method === 'PUT' ? { body: {} } : {};
        const reply = await request(method, `${plan}/comments/${id}`, { key: owner.key, ...body });
        assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
      }
    for (const [body, type] of [
      [{ version: 2, start_line: 1 }, 'plan_version_not_found'],
      [{ version: 1, start_line: 5 }, 'line_not_found'],
      [{ version: 1, start_line: 4, end_line: 5 }, 'line_not_found'],
      [{ version: 1, start_line: 3, end_line: 2 }, 'lines_out_of_order'],
      [{ version: 1, start_line: 0 }, 'greater_than_equal'],
      [{ version: 1, start_line: 1, text: ' \n' }, 'string_too_short'],
    ] as const) {
      const reply = await say(plan, owner, body);
      assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
    }
  });
});

test('race: comments that are made while the plan is revised all end where their line is', async () => {
  const { owner, plan } = await plannedTask(fixtures, TEXT);
  await Promise.all([
    ...Array.from({ length: 10 }, () => say(plan, owner, { version: 1, start_line: 4 })),
    revise(plan, owner, `new\n${TEXT}`),
  ]);
  const all = await list(plan, owner);
  assert.deepEqual(
    all.map(({ current_start_line }: { current_start_line: number }) => current_start_line),
    Array(10).fill(5),
  );
});
