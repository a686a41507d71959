import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { taskFixtures } from '../../testing/fixtures/tasks/task-fixtures.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { due } from './due.ts';

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const tasks = taskFixtures(db);

async function plannedTask() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  return fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
}

test('a queued turn is due, unless its task pauses or an earlier turn has not ended', async () => {
  assert.deepEqual(await due(db), { builds: false, turns: false });
  const id = await plannedTask();
  await tasks.taskStatus(id, 'queued');
  const first = await tasks.turn(id, { state: 'queued' });
  assert.deepEqual(await due(db), { builds: false, turns: true });
  await tasks.taskStatus(id, 'paused');
  assert.deepEqual(await due(db), { builds: false, turns: false });
  await tasks.taskStatus(id, 'queued');
  await db.many(sql`
    update task_turn set state = 'running', owner = 'x', lease_until = now() + interval '1 hour'
     where id = ${first}`);
  await tasks.turn(id, { state: 'queued' });
  assert.deepEqual(await due(db), { builds: false, turns: false });
  await db.many(sql`
    update task_turn set lease_until = now() - interval '1 second' where id = ${first}`);
  assert.deepEqual(await due(db), { builds: false, turns: true });
  await db.many(sql`delete from task where id = ${id}`);
  assert.deepEqual(await due(db), { builds: false, turns: false });
});

test('an approved plan that has not been started is due', async () => {
  await db.many(sql`insert into outbox (topic, key, payload) values ('agent_start', 'a', '{}')`);
  assert.deepEqual(await due(db), { builds: true, turns: false });
  await db.many(sql`update outbox set done_at = now()`);
  assert.deepEqual(await due(db), { builds: false, turns: false });
});

test('it reads a few pages, however many turns have ended and builds have started', async () => {
  const id = await plannedTask();
  await harness.owner(sql`
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at, published_at)
    select ${id}, i, 'plan', 'many:' || i, '', 'done', now(), now()
      from generate_series(1, 20000) i`);
  await harness.owner(sql`
    insert into outbox (topic, key, payload, done_at)
    select 'agent_start', 'many:' || i, '{}', now() from generate_series(1, 20000) i`);
  await harness.owner(sql`analyze task_turn, outbox, task`);
  let sent: Sql | undefined;
  const read = async (query: Sql) => {
    sent = query;
    return [{ builds: false, turns: false }];
  };
  await due({ read } as unknown as Pick<Database, 'read'>);
  const plan = await db.one<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    sql`explain (analyze, buffers, format json) ${sent as Sql}`,
  );
  const { Plan: top } = plan['QUERY PLAN'][0];
  const pages = (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);
  assert.ok(pages <= 20, `${pages} pages`);
});
