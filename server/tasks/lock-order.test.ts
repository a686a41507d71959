import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockTask } from '../access/task.ts';
import { sql } from '../db/sql.ts';
import { startBuilds } from '../runner/worker/start-builds.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';
import { cancelWork } from './cancel-work.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request, owner: asOwner } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });

/** A task with a message that waits and a plan that is not approved. */
async function planned() {
  const id = await fixtures.task(project, owner);
  await fixtures.message(id, owner);
  await fixtures.revision(id);
  const call = (action: string, body?: object) =>
    request('POST', `/api/tasks/${id}/${action}`, { key: owner.key, body });
  return { id, call };
}

/** Each kind of turn with its state, and the status of the task. */
const left = (id: string) =>
  db.one<{ status: string; turns: [string, string][] }>(sql`
    select t.status, (select json_agg(json_build_array(u.kind, u.state) order by u.number)
                        from task_turn u where u.task_id = t.id) as turns
      from task t where t.id = ${id}`);

/** How many deadlocks there have been in this database; connections count theirs when asked. */
async function deadlocks(): Promise<number> {
  const flush = sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`;
  await Promise.all([
    ...Array.from({ length: 40 }, () => db.transaction((tx) => tx.many(flush))),
    ...Array.from({ length: 8 }, () => db.write(flush)),
  ]);
  const { count } = await db.one<{ count: number }>(sql`
    select deadlocks::int as count from pg_stat_database where datname = current_database()`);
  return count;
}

test('a plan that is approved while its task is being cancelled, and then started: one after the other', async () => {
  const { id, call } = await planned();
  const before = await deadlocks();
  await db.transaction(async (tx) => {
    await tx.many(lockTask(id));
    assert.equal((await call('plan/approve')).status, 200);
    assert.equal(await startBuilds(db), 0);
    await cancelWork(tx, id);
  });
  assert.equal(await startBuilds(db), 0);
  assert.equal(await deadlocks(), before);
  assert.deepEqual(await left(id), {
    status: 'cancelled',
    turns: [
      ['plan', 'cancelled'],
      ['build', 'cancelled'],
    ],
  });
});

test('race: cancellations, an approval and the starts of builds: nothing deadlocks, and the last one decides', async () => {
  const before = await deadlocks();
  for (let round = 0; round < 60; round++) {
    const { id, call } = await planned();
    const [approved, ...cancelled] = await Promise.all([
      call('plan/approve'),
      call('cancel'),
      call('cancel'),
      ...Array.from({ length: 4 }, () => startBuilds(db).then(() => ({ status: 0 }))),
    ]);
    assert.equal(approved?.status, 200);
    assert.ok(cancelled.some(({ status }) => status === 200));
    await startBuilds(db);
    const { status, turns } = await left(id);
    assert.deepEqual(turns[0], ['plan', 'cancelled']);
    assert.equal(turns.length, 2);
    const build = status === 'queued' ? 'queued' : 'cancelled';
    assert.deepEqual([status, turns[1]], [build, ['build', build]]);
  }
  assert.equal(await deadlocks(), before);
});

test('race: an approval, a new version and a deletion: nothing deadlocks', async () => {
  const before = await deadlocks();
  for (let round = 0; round < 60; round++) {
    const { id, call } = await planned();
    const replies = await Promise.all([
      call('plan/approve'),
      call('messages', { text: 'And that' }),
      request('PUT', `/api/tasks/${id}/plan`, {
        key: owner.key,
        headers: { 'if-match': '*' },
        body: { text: 'Another' },
      }),
      request('DELETE', `/api/tasks/${id}`, { key: owner.key }),
      startBuilds(db).then(() => ({ status: 0 })),
    ]);
    assert.equal(replies[3]?.status, 200);
    assert.ok(replies.every(({ status }) => status < 300 || status === 404));
  }
  assert.equal(await deadlocks(), before);
});

test('a deletion waits for an approval that is at work, before it holds what the approval needs next', async () => {
  const { id } = await planned();
  const before = await deadlocks();
  const waiting = async () => {
    const [row] = await asOwner<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`);
    return row?.count === 1;
  };
  const deleted = await db.transaction(async (tx) => {
    // The two steps of the statement of an approval.
    await tx.many(sql`select from plan where task_id = ${id} for update`);
    const reply = request('DELETE', `/api/tasks/${id}`, { key: owner.key });
    await until('the deletion waits', waiting);
    await tx.many(sql`
      insert into plan_approval (task_id, version, approved_by_user_id, approved_at)
      values (${id}, 1, ${owner.id}, now())`);
    return { reply };
  });
  assert.equal((await deleted.reply).status, 200);
  assert.equal(await deadlocks(), before);
});
