import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { oldEvents } from './retention.ts';

const { db, events, fixtures, owner: asOwner } = await startHarness({ own: true });
const owner = await fixtures.user();
const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });

async function taskWithEvents(task: string): Promise<string> {
  await events.log.acquire(task, 1n, 'worker');
  await events.log.append(
    task,
    1n,
    Array.from({ length: 3 }, (_, n) => ({ type: 'notice', payload: { n } })),
  );
  return task;
}

/** A task that was created this many days ago. */
async function taskOf(daysAgo: number): Promise<string> {
  const task = await taskWithEvents(await fixtures.task(project, owner));
  await asOwner(sql`
    update task set created_at = now() - make_interval(days => ${daysAgo}::int) where id = ${task}`);
  return task;
}

/** A task whose turns ended this many days ago; undefined is one that goes on. */
async function taskWhoseTurnsEnded(...daysAgo: (number | undefined)[]): Promise<string> {
  const task = await taskOf(40);
  for (const [index, days] of daysAgo.entries())
    await db.many(sql`
      insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
      values (${task}, ${index + 1}, 'prompt', ${randomUUID()}, 'x',
              ${days === undefined ? 'queued' : 'done'},
              now() - make_interval(hours => ${(days ?? 0) * 24 || null}::int))`);
  return task;
}

test('events go a week after the last turn, and with their task; all others stay', async () => {
  const kept = [
    await taskOf(6),
    await taskWhoseTurnsEnded(6),
    await taskWhoseTurnsEnded(30, 1),
    await taskWhoseTurnsEnded(30, undefined),
  ];
  const old = [await taskOf(8), await taskWhoseTurnsEnded(8), await taskWhoseTurnsEnded(30, 8)];
  const gone = await taskWithEvents(randomUUID());
  const rule = oldEvents(events.log, 7);
  assert.equal(await rule.due(db), 12);
  assert.equal(await rule.remove(db), 12);
  assert.equal(await rule.due(db), 0);
  for (const task of kept) assert.deepEqual(await events.log.head(task), { first: 1, last: 3 });
  for (const task of old) {
    assert.deepEqual(await events.log.head(task), { first: 4, last: 3 });
    assert.deepEqual(await events.log.read(task, 0, 10), []);
    assert.equal(await events.log.append(task, 1n, [{ type: 'notice', payload: 1 }]), 4);
  }
  assert.deepEqual(await db.many(sql`select from task_log where task_id = ${gone}`), []);
  assert.deepEqual(await db.many(sql`select from task_event where task_id = ${gone}`), []);
});

test('events that are appended while old ones are deleted stay', async () => {
  const task = await taskWhoseTurnsEnded(8);
  const late = {
    ...events.log,
    forget: async (tasks: { taskId: string; lastSeq: number }[]) => {
      await events.log.append(task, 1n, [{ type: 'turn_started', payload: {} }]);
      await events.log.forget(tasks);
    },
  };
  await oldEvents(late, 7).remove(db);
  assert.deepEqual(await events.log.head(task), { first: 4, last: 4 });
});
