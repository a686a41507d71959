import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../../db/sql.ts';
import { openLoopWhenDue } from '../../platform/loop-when-due.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { TurnRunner } from './runner.ts';

/** Whatever an operation leaves to the worker of its process is done without waiting for a poll. */

let wake = () => {};
const harness = await startHarness({ onTaskChange: () => wake() });
const { db, fixtures, request } = harness;
const tasks = workersOn(harness);

/** A worker that looks once an hour, and calls of the owner of a new task's project. */
async function working(run: TurnRunner['run']) {
  const { id, owner } = await tasks.task();
  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${id}`);
  const worker = tasks.worker(run, { times: { poll: 3_600_000 } });
  wake = worker.wake;
  const call = async (path: string, body?: object) => {
    const reply = await request('POST', `/api${path}`, { key: owner.key, body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  return { id, owner, project_id, call };
}

const untilStatus = (id: string, wanted: string) =>
  until(wanted, async () => (await tasks.status(id)).status === wanted);

const done = async () => ({ text: 'Done' });

test('a new task, a message, an approval and a resumption are carried out at once', async () => {
  const { id, project_id, call } = await working(done);
  const created = await call(`/projects/${project_id}/tasks`, { message: 'Do it' });
  await untilStatus(created.id, 'awaiting_approval');
  await fixtures.revision(id);
  await call(`/tasks/${id}/messages`, { text: 'Plan it' });
  await untilStatus(id, 'awaiting_approval');
  await call(`/tasks/${id}/plan/approve`);
  await untilStatus(id, 'ready');
  await fixtures.taskStatus(id, 'failed');
  await call(`/tasks/${id}/resume`);
  await untilStatus(id, 'ready');
});

test('what is asked for about failed checks is carried out at once', async () => {
  const { id, owner, call } = await working(done);
  await fixtures.pullRequest(id, owner);
  await fixtures.check(id, 'failure');
  await call(`/tasks/${id}/pull-request/fix-checks`);
  await untilStatus(id, 'awaiting_approval');
});

test('an answer reaches the agent at once, and so does a cancellation', async () => {
  const { id, call } = await working(async (_, { ask, signal }) => {
    await ask({ kind: 'question', title: 'Which one?', options: [] });
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    return { text: '' };
  });
  await call(`/tasks/${id}/messages`, { text: 'Ask' });
  await untilStatus(id, 'awaiting_answer');
  const { id: asked } = await db.one<{ id: string }>(sql`
    select id from agent_request where task_id = ${id}`);
  await call(`/tasks/${id}/requests/${asked}/answer`, { text: 'This one' });
  await untilStatus(id, 'planning');
  await call(`/tasks/${id}/cancel`);
  await untilStatus(id, 'cancelled');
});

test('what is queued while the worker looks is found, however many are queued at once', async () => {
  const { project_id, call } = await working(done);
  const created = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      call(`/projects/${project_id}/tasks`, { message: `Do ${i}` }),
    ),
  );
  for (const { id } of created) await untilStatus(id, 'awaiting_approval');
});

test('a merge that is asked for is carried out at once', async (t) => {
  await working(done);
  const { offered, ask, get, work } = await mergesOn(harness);
  const task = await offered();
  const merging = openLoopWhenDue(() => work(), {
    every: 3_600_000,
    what: 'merging',
    log: pino({ enabled: false }),
    db,
    due: sql`exists (select from merge where state = 'queued')`,
  });
  t.after(() => merging.stop());
  merging.start();
  assert.equal((await ask(task)).status, 200);
  await until('it is merged', async () => (await get(task.taskId)).state === 'merged');
});
