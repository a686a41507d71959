import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import type { TaskStatus } from './task-states.ts';

// The start of an approved plan waits in the outbox until a worker takes it. Until then the task is
// shown as queued, whatever it was before, and whoever cancels it cancels the start.

const { db, fixtures, request, unchanged } = await startHarness();

/** A task whose plan a person has approved after the task had come to rest in this state. */
async function approved(status: TaskStatus) {
  const owner = await fixtures.user();
  const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });
  const task = await fixtures.task(project, owner);
  await fixtures.turn(task, { state: 'done', attempt: 1 });
  await fixtures.revision(task);
  if (status === 'cancelled')
    await db.many(sql`
    update task set status = 'cancelled' where id = ${task}`);
  else if (status !== 'awaiting_approval') await fixtures.taskStatus(task, status);
  const call = (method: string, action: string, more: object = {}) =>
    request(method, `/api/tasks/${task}${action}`, { key: owner.key, ...more });
  const approve = () => call('POST', '/plan/approve');
  const revise = (text: string) =>
    call('PUT', '/plan', { body: { text }, headers: { 'if-match': '*' } });
  const listed = async (query: string) =>
    (await request('GET', `/api/projects/${project}/tasks?status=${query}`, { key: owner.key }))
      .body.length;
  const starts = () =>
    db.many(sql`
      select key from outbox
       where topic = 'agent_start' and key like ${`${task}:%`} and done_at is null`);
  assert.equal((await approve()).status, 200);
  return { task, call, approve, revise, listed, starts };
}

const RESTING = ['awaiting_approval', 'ready', 'failed', 'cancelled'] as const;

for (const status of RESTING)
  test(`a task that is ${status} is queued once its plan is approved, and its start can be cancelled`, async () => {
    const { call, listed, starts } = await approved(status);
    const { body } = await call('GET', '');
    assert.deepEqual([body.status, body.status_reason], ['queued', undefined]);
    assert.deepEqual([await listed('queued'), await listed(status)], [1, 0]);
    assert.ok(body.available_actions.includes('cancel_task'));
    assert.ok(!body.available_actions.includes('resume_task'));
    const resumed = await unchanged(() => call('POST', '/resume'));
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'nothing_to_resume']);
    const cancelled = await call('POST', '/cancel');
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
    assert.deepEqual(await starts(), []);
    assert.deepEqual([await listed('queued'), await listed('cancelled')], [0, 1]);
    assert.equal((await call('POST', '/resume')).body.status, 'queued');
  });

test('changes of a plan are refused while its start waits, and a revision is not', async () => {
  for (const status of RESTING) {
    const { call, revise } = await approved(status);
    const busy = await unchanged(() =>
      call('POST', '/plan/request-changes', { body: { text: 'Test it' } }),
    );
    assert.deepEqual([busy.status, busy.body.code, busy.body.status], [409, 'task_busy', 'queued']);
    assert.equal((await revise('another')).status, 200);
    assert.equal((await call('GET', '')).body.status, 'queued');
  }
});

test('cancelling takes all starts that wait: also of a version that a newer one has replaced', async () => {
  const { call, revise, approve, starts } = await approved('awaiting_approval');
  await revise('another');
  assert.deepEqual([(await starts()).length, (await call('GET', '')).body.status], [1, 'queued']);
  await approve();
  assert.equal((await starts()).length, 2);
  assert.equal((await call('POST', '/cancel')).status, 200);
  assert.deepEqual(await starts(), []);
  const { body } = await call('GET', '');
  assert.deepEqual([body.status, body.plan], ['cancelled', { version: 2, approved_version: 2 }]);
});

test('a version whose start waits is cancelled, not the revision after it', async () => {
  const { call, revise, starts } = await approved('awaiting_approval');
  await revise('another');
  assert.equal((await call('POST', '/cancel')).body.status, 'cancelled');
  assert.deepEqual(await starts(), []);
});
