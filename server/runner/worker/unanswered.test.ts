import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { TurnRunner } from './runner.ts';

/** Turns that wait for people keep no others waiting. Each worker has one place. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);

const untilStatus = (id: string, wanted: string) =>
  until(wanted, async () => (await tasks.status(id)).status === wanted);

/** A worker whose turns ask, or work until they may end. */
function started(times: { unanswered?: number } = {}) {
  const asking = new Set<string>();
  const held = new Map<string, () => void>();
  const order: string[] = [];
  const run: TurnRunner['run'] = async ({ taskId }, { ask }) => {
    order.push(taskId);
    if (asking.has(taskId)) {
      await ask({ kind: 'question', title: 'Which one?', options: [] });
      order.push(`${taskId} answered`);
    } else await new Promise<void>((resolve) => held.set(taskId, resolve));
    return { text: 'Done' };
  };
  const worker = tasks.worker(run, { concurrency: 1, times });
  const queued = async ({ asks }: { asks: boolean }) => {
    const { id, owner } = await tasks.task();
    if (asks) asking.add(id);
    await tasks.queue(id, 'prompt');
    return { id, owner };
  };
  const answer = async ({ id, owner }: { id: string; owner: { key: string } }) => {
    const { id: asked } = await db.one<{ id: string }>(sql`
      select id from agent_request where task_id = ${id} and state = 'open'`);
    const path = `/api/tasks/${id}/requests/${asked}/answer`;
    const reply = await request('POST', path, { key: owner.key, body: { text: 'This one' } });
    assert.equal(reply.status, 200, reply.text);
  };
  const end = async ({ id }: { id: string }) => {
    await until('it works', () => held.has(id));
    held.get(id)?.();
  };
  return { worker, queued, answer, end, order };
}

test('while a turn waits for an answer, another one works, and it goes on when it is answered', async () => {
  const { worker, queued, answer, end } = started();
  const asks = await queued({ asks: true });
  await untilStatus(asks.id, 'awaiting_answer');
  const works = await queued({ asks: false });
  await end(works);
  await untilStatus(works.id, 'ready');
  assert.equal((await tasks.status(asks.id)).status, 'awaiting_answer');
  await answer(asks);
  await untilStatus(asks.id, 'ready');
  await worker.close();
});

test('no more work at once than may: what is answered meanwhile goes on next, before what is queued', async () => {
  const { worker, queued, answer, end, order } = started();
  const asks = await queued({ asks: true });
  await untilStatus(asks.id, 'awaiting_answer');
  const works = await queued({ asks: false });
  await until('it works', () => order.includes(works.id));
  const next = await queued({ asks: false });
  await answer(asks);
  await pause(1_500);
  assert.deepEqual(order, [asks.id, works.id]);
  assert.equal(worker.running(), 1);
  await end(works);
  await end(next);
  await untilStatus(asks.id, 'ready');
  await untilStatus(next.id, 'ready');
  assert.deepEqual(order, [asks.id, works.id, `${asks.id} answered`, next.id]);
  await worker.close();
});

test('of many that nobody answers, the one that has waited longest is ended with a sentence once its place is needed', async () => {
  const { worker, queued, end, order } = started({ unanswered: 1_000 });
  const asking = [];
  for (let count = 0; count < 4; count++) {
    const one = await queued({ asks: true });
    await untilStatus(one.id, 'awaiting_answer');
    asking.push(one);
  }
  await pause(1_200);
  for (const { id } of asking) assert.equal((await tasks.status(id)).status, 'awaiting_answer');
  const works = await queued({ asks: false });
  await end(works);
  await untilStatus(works.id, 'ready');
  const [first, ...others] = await Promise.all(asking.map(({ id }) => tasks.status(id)));
  assert.equal(first?.status, 'failed');
  assert.match(first?.reason ?? '', /^Nobody answered the question.*Send a message/);
  assert.deepEqual(
    others.map(({ status }) => status),
    Array(3).fill('awaiting_answer'),
  );
  assert.equal(order.at(-1), works.id);
  await worker.abandon();
});
