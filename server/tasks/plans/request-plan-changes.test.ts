import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { plannedTask } from '../../testing/fixtures/tasks/planned-task.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const ask = (plan: string, { key }: User, text: unknown = 'Tests first', headers = {}) =>
  request('POST', `${plan}/request-changes`, { key, body: { text }, headers });
const setStatus = (task: string, status: string) =>
  db.many(sql`update task set status = ${status} where id = ${task}`);
const turnsOf = (task: string) =>
  db.many<{ id: string; state: string }>(sql`
    select id, number, kind, state, prompt, requested_by_user_id from task_turn
     where task_id = ${task} order by number`);

/** Ends the queued turn of a task as a worker does. */
const end = (task: string) =>
  db.many(sql`
    update task_turn set state = 'done', ended_at = now()
     where task_id = ${task} and state = 'queued'`);

test('200: a plan turn with the feedback is queued, and the feedback is a message', async () => {
  const { owner, task, plan } = await plannedTask(fixtures);
  const { status, body } = await ask(plan, owner, 'Tests\nfirst');
  const { turn_id, ...rest } = body;
  assert.deepEqual([status, rest], [200, { task_id: task, version: 1, newly_requested: true }]);
  assert.deepEqual(await turnsOf(task), [
    {
      id: turn_id,
      number: 1,
      kind: 'plan',
      state: 'queued',
      prompt: 'Tests\nfirst',
      requested_by_user_id: owner.id,
    },
  ]);
  const [state] = await db.many(sql`
    select t.status, t.last_turn, t.last_message, m.number, m.turn_id, m.author_user_id, m.content
      from task t join task_message m on m.task_id = t.id where t.id = ${task}`);
  assert.deepEqual(state, {
    status: 'queued',
    last_turn: 1,
    last_message: 1,
    number: 1,
    turn_id,
    author_user_id: owner.id,
    content: 'Tests\nfirst',
  });
  const [audit] = await db.many(sql`
    select actor_user_id, before, after from audit_event
     where target_id = ${task} and action = 'plan.request_changes'`);
  assert.deepEqual(audit, {
    actor_user_id: owner.id,
    before: { version: 1 },
    after: { turn_id },
  });
});

test('200: the same again queues nothing while the turn is open, whoever asks; afterwards it does', async () => {
  const { may, task, plan } = await plannedTask(fixtures);
  const [owner, member] = may as [User, User];
  const first = await ask(plan, owner);
  const again = await unchanged(() => ask(plan, member));
  assert.deepEqual(again.body, { ...first.body, newly_requested: false });
  const other = await unchanged(() => ask(plan, member, 'Something else'));
  assert.deepEqual(
    [other.status, other.body.code, other.body.status],
    [409, 'task_busy', 'queued'],
  );
  await end(task);
  await setStatus(task, 'awaiting_approval');
  const later = await ask(plan, owner);
  assert.ok(later.body.newly_requested && later.body.turn_id !== first.body.turn_id);
});

test('200: after a build and after a failure; an approved version is no obstacle once it was started', async () => {
  for (const status of ['ready', 'failed']) {
    const { owner, task, plan } = await plannedTask(fixtures);
    await request('POST', `${plan}/approve`, { key: owner.key });
    const waiting = await unchanged(() => ask(plan, owner));
    assert.deepEqual([waiting.status, waiting.body.code], [409, 'task_busy']);
    await db.many(sql`
      update outbox set done_at = now() where topic = 'agent_start' and key = ${`${task}:1`}`);
    await setStatus(task, 'building');
    await db.many(sql`
      update task set status = ${status}, status_reason = ${status === 'failed' ? 'It fell' : null}
       where id = ${task}`);
    assert.equal((await ask(plan, owner)).status, 200);
    const [task_] = await db.many(sql`select status, status_reason from task where id = ${task}`);
    assert.deepEqual(task_, { status: 'queued', status_reason: null });
  }
});

test('403: viewers and strangers; 404: no plan; 412: another version; 422: no text', async () => {
  const { owner, project, plan, may, mayNot } = await plannedTask(fixtures, 'one', 'two');
  const bare = await fixtures.task(project, owner);
  await unchanged(async () => {
    for (const person of mayNot) assert.equal((await ask(plan, person)).status, 403);
    const none = await ask(`/api/tasks/${bare}/plan`, owner);
    assert.deepEqual([none.status, none.body.code], [404, 'plan_not_found']);
    const stale = await ask(plan, owner, 'x', { 'if-match': '"1"' });
    assert.deepEqual([stale.status, stale.body.code, stale.body.version], [412, 'plan_changed', 2]);
    for (const text of ['', ' \n', 'x'.repeat(20_001), null])
      assert.equal((await ask(plan, owner, text)).status, 422);
  });
  assert.equal((await ask(plan, may[2] as User)).status, 200);
});

test('409: cancelled, at work or paused: as available_actions says', async () => {
  for (const [status, code] of [
    ['cancelled', 'task_cancelled'],
    ['planning', 'task_busy'],
    ['building', 'task_busy'],
    ['paused', 'task_busy'],
  ] as const) {
    const { owner, task, plan } = await plannedTask(fixtures);
    await db.many(sql`
      update task set status = ${status},
             status_reason = ${status === 'paused' ? 'insufficient_funds' : null}
       where id = ${task}`);
    const reply = await unchanged(() => ask(plan, owner));
    assert.deepEqual([reply.status, reply.body.code], [409, code], status);
    const { body } = await request('GET', plan, { key: owner.key });
    assert.ok(!body.available_actions.includes('request_plan_changes'));
  }
});

test('race: twenty people ask for the same, and one turn is queued', async () => {
  const { may, task, plan } = await plannedTask(fixtures);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask(plan, may[i % 3] as User)),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ body }) => body.turn_id)).size, 1);
  assert.equal(replies.filter(({ body }) => body.newly_requested).length, 1);
  assert.equal((await turnsOf(task)).length, 1);
});
