import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const created = await request('POST', `/api/projects/${project}/tasks`, {
    key: owner.key,
    body: { message: 'Do it' },
  });
  const id: string = created.body.id;
  const call = (action: string, key = owner.key) =>
    request('POST', `/api/tasks/${id}/${action}`, { key });
  const turns = () =>
    db.many<{ kind: string; state: string; asked: boolean; source: string }>(sql`
      select kind, state, cancel_requested_at is not null as asked, source
        from task_turn where task_id = ${id} order by number`);
  const send = (text: string) =>
    request('POST', `/api/tasks/${id}/messages`, { key: owner.key, body: { text } });
  const status = async () => (await request('GET', `/api/tasks/${id}`, { key: owner.key })).body;
  return { owner, workspace, project, id, call, turns, send, status };
}

/** As a worker claims the first turn of a task. */
const claim = (id: string) =>
  db.many(sql`
    with task as (
      update task set status = 'planning', fence = fence + 1 where id = ${id} returning id)
    update task_turn u
       set state = 'running', attempt = 1, owner = 'a worker', lease_until = now() + interval '1 h'
      from task where u.task_id = task.id and u.number = 1`);

test('200: what waits is cancelled, and resuming queues the last message again', async () => {
  const { call, turns, send, status, id } = await tenant();
  await send('And that');
  const cancelled = await call('cancel');
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
  assert.deepEqual(
    (await turns()).map(({ state }) => state),
    ['cancelled', 'cancelled'],
  );
  const resumed = await call('resume');
  assert.deepEqual([resumed.status, resumed.body.status], [200, 'queued']);
  const { as_of_seq, ...shown } = await status();
  assert.equal(as_of_seq, 0);
  assert.deepEqual(resumed.body, shown);
  const messages = await db.many(sql`
    select m.number, t.number as turn, t.state, t.prompt
      from task_message m join task_turn t on t.id = m.turn_id
     where m.task_id = ${id} order by 1`);
  assert.deepEqual(messages, [
    { number: 1, turn: 1, state: 'cancelled', prompt: 'Do it' },
    { number: 2, turn: 3, state: 'queued', prompt: 'And that' },
  ]);
});

test('202: a running turn is asked to stop, once, and its task keeps its status until it has', async () => {
  const { call, turns, send, id } = await tenant();
  await send('And that');
  await claim(id);
  const first = await call('cancel');
  assert.deepEqual([first.status, first.body.status], [202, 'planning']);
  const { at } = await db.one<{ at: Date }>(sql`
    select cancel_requested_at as at from task_turn where task_id = ${id} and number = 1`);
  assert.equal((await call('cancel')).status, 202);
  const again = await db.one<{ at: Date }>(sql`
    select cancel_requested_at as at from task_turn where task_id = ${id} and number = 1`);
  assert.deepEqual(again, { at });
  assert.deepEqual(
    (await turns()).map(({ state, asked }) => [state, asked]),
    [
      ['running', true],
      ['cancelled', false],
    ],
  );
});

test('200: an approved plan whose start no worker has taken is not started; resuming starts it, once', async () => {
  const { call, turns, id } = await tenant();
  await db.many(sql`
    update task_turn set state = 'done', attempt = 1, ended_at = now() where task_id = ${id}`);
  await fixtures.revision(id);
  await db.many(sql`update task set status = 'awaiting_approval' where id = ${id}`);
  assert.equal((await call('cancel')).status, 409);
  assert.equal((await call('plan/approve')).status, 200);
  const cancelled = await call('cancel');
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
  const open = await db.many(sql`
    select id from outbox where topic = 'agent_start' and key like ${`${id}:%`} and done_at is null`);
  assert.deepEqual(open, []);
  assert.equal((await call('resume')).status, 200);
  assert.deepEqual(
    (await turns()).map(({ kind, state }) => `${kind} ${state}`),
    ['plan done', 'build cancelled', 'build queued'],
  );
});

test('200: a paused task goes on with the turn that waits, and no other', async () => {
  const { call, turns, id } = await tenant();
  await db.many(sql`
    update task set status = 'paused', status_reason = 'insufficient_funds' where id = ${id}`);
  const { body } = await call('resume');
  assert.deepEqual([body.status, body.status_reason], ['queued', undefined]);
  assert.equal((await turns()).length, 1);
});

test('409: nothing to cancel, nothing to resume; 403: viewers and strangers', async () => {
  const { owner, workspace, project, id, call } = await tenant();
  const refused = async (action: string, code: string, key = owner.key) => {
    const reply = await unchanged(() => call(action, key));
    assert.deepEqual([reply.status, reply.body.code], [code === 'forbidden' ? 403 : 409, code]);
  };
  const [viewer, guest, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'viewer');
  for (const { key } of [viewer, guest, stranger])
    for (const action of ['cancel', 'resume']) await refused(action, 'forbidden', key);
  await refused('resume', 'nothing_to_resume');
  await call('cancel');
  await refused('cancel', 'nothing_to_cancel');
  const bare = await fixtures.task(project, owner);
  await fixtures.taskStatus(bare, 'failed');
  const reply = await unchanged(() =>
    request('POST', `/api/tasks/${bare}/resume`, { key: owner.key }),
  );
  assert.equal(reply.body.code, 'nothing_to_resume');
  assert.equal((await db.one<{ id: string }>(sql`select id from task where id = ${id}`)).id, id);
});

test('race: messages against cancel: each message is queued or cancelled, and the task’s status says so', async () => {
  for (let round = 0; round < 10; round++) {
    const { call, send, turns, status } = await tenant();
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, (_, i) => send(`Message ${i}`)),
      call('cancel'),
      ...Array.from({ length: 3 }, (_, i) => send(`More ${i}`)),
    ]);
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [201, 201, 201, 201, 201, 201, 200, 201, 201, 201],
    );
    const left = (await turns()).filter(({ state }) => state === 'queued').length;
    assert.equal((await status()).status, left > 0 ? 'queued' : 'cancelled');
    assert.equal((await turns()).length, 10);
  }
});

test('race: cancel against the start of the approved plan: it is started once or not at all, and nothing deadlocks', async () => {
  for (let round = 0; round < 10; round++) {
    const { call, turns, id } = await tenant();
    await db.many(sql`
      update task_turn set state = 'done', attempt = 1, ended_at = now() where task_id = ${id}`);
    await fixtures.revision(id);
    await db.many(sql`update task set status = 'awaiting_approval' where id = ${id}`);
    await call('plan/approve');
    const [reply] = await Promise.all([call('cancel'), start(id), call('resume'), start(id)]);
    assert.equal(reply.status, 200, reply.text);
    const builds = (await turns()).filter(({ kind }) => kind === 'build');
    assert.ok(builds.length === 1 || builds.length === 2, JSON.stringify(builds));
    assert.equal(builds.filter(({ source }) => source === `plan:${id}:1`).length, 1);
  }
});

/** As a worker takes the start of a plan from the outbox: the outbox, then the task. */
const start = (id: string) =>
  db.many(sql`
    with done as (
      update outbox set done_at = now()
       where id = (select id from outbox
                    where topic = 'agent_start' and key = ${`${id}:1`} and done_at is null
                      for update skip locked)
      returning id),
    numbered as (
      update task set last_turn = last_turn + 1, status = 'queued'
        from done where task.id = ${id}
      returning last_turn)
    insert into task_turn (task_id, number, kind, source, prompt, plan_version)
    select ${id}, last_turn, 'build', ${`plan:${id}:1`}, '', 1 from numbered`);
