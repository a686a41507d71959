import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlState } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import {
  POD_STATES,
  POD_TRANSITIONS,
  type StoredPodState,
} from '../../platform/pods/pod-states.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, db } = await startHarness({ own: true });
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });

const reasonOf = (state: StoredPodState) => (state === 'failed' ? 'It has failed.' : null);

const podIn = async (state: StoredPodState): Promise<string> =>
  (
    await db.one<{ id: string }>(sql`
      insert into pod (task_id, driver, state, reason)
      values (${await fixtures.task(project, owner)}, 'process', ${state}, ${reasonOf(state)})
      returning id`)
  ).id;

for (const from of POD_STATES) {
  test(`database: from ${from} a pod goes to ${POD_TRANSITIONS[from].join(', ') || 'no state'}`, async () => {
    for (const to of POD_STATES) {
      const id = await podIn(from);
      const move = db.many(sql`
        update pod set state = ${to}, reason = ${reasonOf(to)} where id = ${id}`);
      const allowed = to === from || POD_TRANSITIONS[from].includes(to);
      if (allowed) await move;
      else await assert.rejects(move, (error) => sqlState(error) === '23000', to);
      const { state } = await db.one<{ state: string }>(
        sql`select state from pod where id = ${id}`,
      );
      assert.equal(state, allowed ? to : from, `${from} to ${to}`);
    }
  });
}

test('database: at most one pod of a task that is not given up', async () => {
  const task = await fixtures.task(project, owner);
  const add = (state: string) =>
    db.many(sql`insert into pod (task_id, driver, state) values (${task}, 'process', ${state})`);
  for (const state of ['absent', 'destroying', 'paused']) await add(state);
  for (const state of ['creating', 'running', 'unknown'])
    await assert.rejects(add(state), (error) => sqlState(error) === '23505');
});

test('database: why it has failed is known of a pod that has, also once it is gone', async () => {
  const id = await podIn('failed');
  await db.many(sql`update pod set state = 'destroying' where id = ${id}`);
  await db.many(sql`update pod set state = 'absent' where id = ${id}`);
  const kept = await db.one(sql`select state, reason from pod where id = ${id}`);
  assert.deepEqual(kept, { state: 'absent', reason: 'It has failed.' });
  for (const [state, reason] of [
    ['failed', null],
    ['running', 'It has failed.'],
  ] as const) {
    const other = await podIn('creating');
    const move = db.many(sql`
      update pod set state = ${state}, reason = ${reason} where id = ${other}`);
    await assert.rejects(move, (error) => sqlState(error) === '23514');
    const left = await db.one(sql`select state, reason from pod where id = ${other}`);
    assert.deepEqual(left, { state: 'creating', reason: null });
  }
});
