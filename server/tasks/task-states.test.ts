import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlState } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { PAUSE_REASONS, TASK_STATUSES, type TaskStatus, TRANSITIONS } from './task-states.ts';

const { fixtures, db } = await startHarness();
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });

const reasonOf = (status: TaskStatus) =>
  status === 'paused' ? 'drain' : status === 'failed' ? 'The agent stopped.' : null;

/** A task in this state, whatever may lead there. */
const taskIn = async (status: TaskStatus): Promise<string> =>
  (
    await db.one<{ id: string }>(sql`
      insert into task (project_id, title, created_by_user_id, status, status_reason)
      values (${project}, 'A task', ${owner.id}, ${status}, ${reasonOf(status)}) returning id`)
  ).id;

const move = (id: string, to: TaskStatus) =>
  db.many(sql`
    update task set status = ${to}, status_reason = ${reasonOf(to)} where id = ${id}`);

for (const from of TASK_STATUSES) {
  test(`database: from ${from} a task goes to ${TRANSITIONS[from].join(', ')}, and nowhere else`, async () => {
    for (const to of TASK_STATUSES) {
      const id = await taskIn(from);
      const allowed = to === from || TRANSITIONS[from].includes(to);
      if (allowed) await move(id, to);
      else await assert.rejects(move(id, to), (error) => sqlState(error) === '23000', to);
      const { status } = await db.one<{ status: string }>(
        sql`select status from task where id = ${id}`,
      );
      assert.equal(status, allowed ? to : from, `${from} to ${to}`);
    }
  });
}

test('database: no other state, and a reason with paused and failed alone', async () => {
  const id = await taskIn('queued');
  const set = (status: string, reason: string | null) =>
    db.many(sql`update task set status = ${status}, status_reason = ${reason} where id = ${id}`);
  for (const [status, reason] of [
    ['done', null],
    ['paused', null],
    ['paused', 'tired'],
    ['failed', null],
    ['failed', ''],
    ['planning', 'drain'],
  ] as const)
    await assert.rejects(set(status, reason), (error) => /^23/.test(sqlState(error) ?? ''));
  for (const reason of PAUSE_REASONS) await set('paused', reason);
});
