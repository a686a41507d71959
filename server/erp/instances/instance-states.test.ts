import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlState } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { INSTANCE_STATES, INSTANCE_TRANSITIONS, LIVE_STATES } from './instance-states.ts';

const { fixtures, db } = await startHarness();
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });

for (const from of INSTANCE_STATES) {
  const known = INSTANCE_TRANSITIONS[from];
  test(`database: from ${from} an instance goes to ${known.join(', ') || 'no state'}`, async () => {
    for (const to of INSTANCE_STATES) {
      const id = await fixtures.erpInstance(await fixtures.task(project, owner), from);
      const move = db.many(sql`
        update erp_instance
           set state = ${to}, ready_at = now(),
               reason = case when ${to} = 'failed' then 'It failed.' end,
               cleared_at = case when ${to} = 'ended' then now() end
         where id = ${id}`);
      const allowed = to === from || known.includes(to);
      if (allowed) await move;
      else await assert.rejects(move, (error) => sqlState(error) === '23000', to);
      const { state } = await db.one<{ state: string }>(
        sql`select state from erp_instance where id = ${id}`,
      );
      assert.equal(state, allowed ? to : from, `${from} to ${to}`);
    }
  });
}

test('database: at most one instance of a task is live', async () => {
  for (const state of LIVE_STATES) {
    const task = await fixtures.task(project, owner);
    for (const over of ['failed', 'ended']) await fixtures.erpInstance(task, over);
    await fixtures.erpInstance(task, state);
    for (const other of LIVE_STATES)
      await assert.rejects(
        fixtures.erpInstance(task, other),
        (error) => sqlState(error) === '23505',
        `${state} and ${other}`,
      );
  }
});
