import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { claimTurn } from './claim.ts';
import { due } from './due.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const tasks = workersOn(harness);

const claim = (from: Pick<Database, 'many'>) =>
  claimTurn(from, { owner: 'a worker', lease: 60_000, deadline: 60_000 });

const paused = async (id: string) =>
  (
    await db.many<{ paused: boolean }>(sql`
      select paused from task_turn where task_id = ${id} order by number`)
  ).map((turn) => turn.paused);

const pause = (id: string) =>
  db.many(sql`
    update task set status = 'paused', status_reason = 'insufficient_funds' where id = ${id}`);

test('turns wait with their task, also those that are queued while it is paused, and go on with it', async () => {
  const { id, owner } = await tasks.task();
  const first = await tasks.queue(id);
  assert.deepEqual(await paused(id), [false]);
  await pause(id);
  const call = (path: string, body?: object) =>
    request('POST', `/api/tasks/${id}${path}`, { key: owner.key, body });
  assert.equal((await call('/messages', { text: 'And that' })).status, 201);
  assert.deepEqual(await paused(id), [true, true]);
  assert.deepEqual([await due(db), await claim(db)], [{ builds: false, turns: false }, undefined]);
  assert.equal((await call('/resume')).status, 200);
  assert.deepEqual(await paused(id), [false, false]);
  assert.equal((await claim(db))?.turnId, first);
});

test('race: messages while a task pauses and goes on: its turns wait exactly when it does', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, owner } = await tasks.task();
    await tasks.queue(id);
    const send = () =>
      request('POST', `/api/tasks/${id}/messages`, { key: owner.key, body: { text: 'More' } });
    await Promise.all([send(), pause(id), send(), send()]);
    assert.deepEqual(await paused(id), [true, true, true, true]);
    const resume = request('POST', `/api/tasks/${id}/resume`, { key: owner.key });
    await Promise.all([send(), resume, send()]);
    assert.deepEqual(new Set(await paused(id)), new Set([false]));
    await db.many(sql`delete from task where id = ${id}`);
  }
});

/**
 * Pages that a statement reads, which changes nothing in the end. It is carried out twice: a new
 * connection reads the catalog as well.
 */
async function pages(query: Sql): Promise<number> {
  let count = Number.NaN;
  const undone = new Error('undone');
  await db
    .transaction(async (tx) => {
      for (let time = 0; time < 2; time++) {
        await tx.many(sql`savepoint before`);
        const { 'QUERY PLAN': plan } = await tx.one<{ 'QUERY PLAN': [{ Plan: Pages }] }>(
          sql`explain (analyze, buffers, format json) ${query}`,
        );
        await tx.many(sql`rollback to savepoint before`);
        const { Plan: top } = plan[0];
        count = top['Shared Hit Blocks'] + top['Shared Read Blocks'];
      }
      throw undone;
    })
    .catch((error) => assert.equal(error, undone));
  return count;
}

interface Pages {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

test('five thousand paused tasks among as many that rest: a poll and a claim read a few pages', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  await harness.owner(sql`
    with made as (
      insert into task (project_id, title, created_by_user_id, status, status_reason, last_turn)
      select ${project}, 'Many', ${owner.id}, each.status, each.reason, 1
        from generate_series(1, 5000),
             (values ('paused', 'insufficient_funds'), ('ready', null)) each (status, reason)
      returning id, status)
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at, published_at)
    select id, 1, 'plan', 'many:' || id, repeat('Do it. ', 200), turn.state, turn.ended_at, turn.published_at
      from made
      join (values ('paused', 'queued', null::timestamptz, null::timestamptz),
                   ('ready', 'done', now(), now())) turn (status, state, ended_at, published_at)
        using (status)`);
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  await harness.owner(sql`analyze task_turn, outbox, task`);

  const sent: Sql[] = [];
  const keep = async (query: Sql) => {
    sent.push(query);
    return [{ builds: false, turns: false }] as never[];
  };
  await due({ read: keep });
  await claim({
    many: async (query: Sql) => {
      await keep(query);
      return [];
    },
  });
  assert.equal(sent.length, 3);
  for (const query of sent) {
    const read = await pages(query);
    assert.ok(read <= 200, `${read} pages`);
  }
  assert.deepEqual(await due(db), { builds: false, turns: true });
  assert.equal((await claim(db))?.turnId, turn);
  assert.deepEqual(await due(db), { builds: false, turns: false });
  // Cancelled after the test as all others are, each would be told of: longer than a statement may take.
  await harness.owner(sql`alter table task disable trigger user`);
  await harness.owner(sql`
    update task set status = 'cancelled', status_reason = null where project_id = ${project}`);
  await harness.owner(sql`alter table task enable trigger user`);
});
