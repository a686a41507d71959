import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.task(project, owner);
  const path = `/api/tasks/${id}/messages`;
  const send = (text: string, key = owner.key) => request('POST', path, { key, body: { text } });
  const remove = (number: number, key = owner.key) =>
    request('DELETE', `${path}/${number}`, { key });
  const list = async (query = '') => request('GET', `${path}${query}`, { key: owner.key });
  const status = async (): Promise<string> =>
    (await request('GET', `/api/tasks/${id}`, { key: owner.key })).body.status;
  const kinds = async () =>
    (
      await db.many<{ kind: string }>(sql`
        select kind from task_turn where task_id = ${id} order by number`)
    ).map(({ kind }) => kind);
  return { owner, workspace, project, id, send, remove, list, status, kinds };
}

test('201: a message is queued in order; the agent plans until the current plan is approved', async () => {
  const { owner, id, send, list, status, kinds } = await tenant();
  const first = await send(' Spaces \n and lines stay. ');
  assert.equal(first.status, 201);
  const { created_at, ...rest } = first.body;
  assert.deepEqual(rest, {
    number: 1,
    task_id: id,
    role: 'user',
    author_user_id: owner.id,
    status: 'queued',
    text: ' Spaces \n and lines stay. ',
    attachments: [],
    available_actions: ['delete_message'],
  });
  assert.equal(await status(), 'queued');
  await fixtures.revision(id);
  await send('Still a plan');
  await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  await send('Now do it');
  await fixtures.revision(id);
  await send('A plan again');
  assert.deepEqual(await kinds(), ['plan', 'plan', 'build', 'prompt', 'plan']);
  const { body } = await list();
  assert.deepEqual(
    body.map(({ number }: { number: number }) => number),
    [1, 2, 3, 4],
  );
  assert.deepEqual(body[0], first.body);
  const page = await list('?limit=3');
  assert.equal(page.body.length, 3);
  assert.match(page.headers.get('link') ?? '', /rel="next"/);
});

test('201: what is ready, failed or cancelled is queued; what is paused keeps the message and its reason', async () => {
  for (const from of ['ready', 'failed', 'cancelled', 'awaiting_approval'] as const) {
    const { id, send, status } = await tenant();
    if (from !== 'ready') await fixtures.taskStatus(id, from);
    assert.equal((await send('Go on')).status, 201, from);
    assert.equal(await status(), 'queued', from);
  }
  const { id, send, owner } = await tenant();
  await fixtures.taskStatus(id, 'paused');
  await send('Go on');
  const { body } = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  assert.deepEqual([body.status, body.status_reason], ['paused', 'insufficient_funds']);
});

test('204: a queued message goes with its turn, and the task waits for what it waited for', async () => {
  const { id, send, remove, list, status, kinds } = await tenant();
  await send('One');
  await send('Two');
  assert.equal((await remove(2)).status, 204);
  assert.deepEqual([(await list()).body.length, await status()], [1, 'queued']);
  assert.equal((await remove(1)).status, 204);
  assert.deepEqual([await kinds(), await status()], [[], 'ready']);
  await fixtures.revision(id);
  await send('Three');
  assert.equal((await remove(3)).status, 204);
  assert.equal(await status(), 'awaiting_approval');
});

test('403: only its author and admins delete a message, and viewers and strangers send none', async () => {
  const { workspace, project, send, remove } = await tenant();
  const [admin, author, member, viewer, guest, stranger] = await Promise.all(
    Array.from({ length: 6 }, () => fixtures.user()),
  );
  assert.ok(admin && author && member && viewer && guest && stranger);
  await fixtures.member(workspace, admin, 'admin');
  for (const each of [author, member]) await fixtures.member(workspace, each);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'member');
  for (const { key } of [viewer, stranger])
    assert.equal((await unchanged(() => send('No', key))).status, 403);
  const others: { key: string }[] = [member, viewer, stranger];
  for (const [i, { key }] of [admin, author, guest].entries()) {
    assert.equal((await send('Mine', author.key)).body.number, i + 1);
    for (const other of others)
      assert.equal((await unchanged(() => remove(i + 1, other.key))).status, 403);
    assert.equal((await remove(i + 1, key)).status, key === guest.key ? 403 : 204);
  }
  await db.many(sql`
    update membership set role_id = (
      select id from role where organization_id is null and scope = 'workspace' and slug = 'viewer')
     where user_id = ${author.id}`);
  assert.equal((await unchanged(() => remove(3, author.key))).status, 403);
});

test('404, 409: no such message, one that the agent reads, and one that was cancelled', async () => {
  const { owner, id, send, remove, list } = await tenant();
  assert.equal((await remove(1)).status, 404);
  await send('One');
  const missing = await request('POST', `/api/tasks/${randomUUID()}/messages`, {
    key: owner.key,
    body: { text: 'x' },
  });
  assert.equal(missing.status, 404);
  await db.many(sql`
    update task_turn set state = 'running', attempt = 1, owner = 'a worker',
           lease_until = now() + interval '1 h' where task_id = ${id}`);
  const reply = await unchanged(() => remove(1));
  assert.deepEqual([reply.status, reply.body.code], [409, 'message_sent']);
  await send('Two');
  await request('POST', `/api/tasks/${id}/cancel`, { key: owner.key });
  assert.equal((await unchanged(() => remove(2))).status, 409);
  assert.deepEqual(
    (await list()).body.map((each: { status: string }) => each.status),
    ['sent', 'cancelled'],
  );
});

test('409: more than a hundred messages do not wait', async () => {
  const { send } = await tenant();
  for (let i = 0; i < 100; i++) assert.equal((await send(`${i}`)).status, 201);
  const reply = await unchanged(() => send('Too many'));
  assert.deepEqual([reply.status, reply.body.code], [409, 'too_many_messages']);
});

test('race: messages at once are numbered without a gap, each with the turn of its place', async () => {
  const { id, send } = await tenant();
  const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`Message ${i}`)));
  assert.ok(replies.every(({ status }) => status === 201));
  const rows = await db.many<{ number: number; turn: number; content: string; prompt: string }>(sql`
    select m.number, t.number as turn, m.content, t.prompt
      from task_message m join task_turn t on t.id = m.turn_id
     where m.task_id = ${id} order by m.number`);
  assert.deepEqual(
    rows.map(({ number, turn }) => [number, turn]),
    Array.from({ length: 20 }, (_, i) => [i + 1, i + 1]),
  );
  assert.ok(rows.every(({ content, prompt }) => content === prompt));
});

test('race: deleting all messages while one is sent: the status is that of what is left', async () => {
  for (let round = 0; round < 10; round++) {
    const { send, remove, status, kinds } = await tenant();
    for (const text of ['One', 'Two', 'Three']) await send(text);
    const replies = await Promise.all([remove(1), remove(2), send('Four'), remove(3), remove(3)]);
    assert.deepEqual(
      replies.slice(0, 3).map((reply) => reply.status),
      [204, 204, 201],
    );
    assert.deepEqual([replies[3]?.status, replies[4]?.status].sort(), [204, 404]);
    assert.deepEqual([await kinds(), await status()], [['plan'], 'queued']);
    assert.equal((await remove(4)).status, 204);
    assert.equal(await status(), 'ready');
  }
});

test('race: a claim against the deletion of its message: the agent reads it, or it is gone', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, send, remove, kinds, status } = await tenant();
    await send('One');
    const claim = db.many(sql`
      with picked as materialized (
        select u.id, u.task_id from task_turn u join task t on t.id = u.task_id
         where u.task_id = ${id} and u.state = 'queued' for no key update of t),
      claimed as (
        update task_turn u set state = 'running', attempt = 1, owner = 'a worker',
               lease_until = now() + interval '1 h'
          from picked where u.id = picked.id and u.state = 'queued'
        returning u.task_id)
      update task t set status = 'planning', fence = t.fence + 1
        from claimed where t.id = claimed.task_id returning t.id`);
    const [claimed, reply] = await Promise.all([claim, remove(1)]);
    if (claimed.length === 1) assert.deepEqual([reply.status, await status()], [409, 'planning']);
    else assert.deepEqual([reply.status, await kinds(), await status()], [204, [], 'ready']);
  }
});
