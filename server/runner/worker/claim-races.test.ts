import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { claimTurn } from './claim.ts';
import { startBuilds } from './start-builds.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const tasks = workersOn(harness);

const claimAs = (owner: string) => claimTurn(db, { owner, lease: 60_000, deadline: 60_000 });
const builds = (taskId: string) =>
  db.many(sql`select number, plan_version from task_turn
               where task_id = ${taskId} and kind = 'build'`);

test('turns of paused, failed and cancelled tasks are not claimed', async () => {
  const { id } = await tasks.task();
  await tasks.queue(id);
  for (const [status, reason] of [
    ['paused', 'insufficient_funds'],
    ['failed', 'No model.'],
    ['cancelled', null],
  ]) {
    await db.many(sql`
      update task set status = ${status}, status_reason = ${reason} where id = ${id}`);
    assert.equal(await claimAs('anyone'), undefined, status as string);
  }
  await db.many(sql`delete from task_turn where task_id = ${id}`);
});

test('race: of many workers that claim one turn, one gets it', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await tasks.task();
    const turn = await tasks.queue(id);
    await tasks.queue(id);
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, place) => claimAs(`${round}-${place}`)),
    );
    const got = claims.filter((claim) => claim !== undefined);
    assert.deepEqual(
      got.map(({ turnId, attempt, fence }) => [turnId, attempt, fence]),
      [[turn, 1, 1n]],
    );
  }
});

test('race: a lease that has run out is taken over once', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  await claimAs('first');
  await db.many(sql`update task_turn set lease_until = now() - interval '1 s' where id = ${turn}`);
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, place) => claimAs(`again-${place}`)),
  );
  const got = claims.filter((claim) => claim !== undefined);
  assert.deepEqual(
    got.map(({ turnId, attempt, losses, fence }) => [turnId, attempt, losses, fence]),
    [[turn, 2, 1, 2n]],
  );
});

test('race: approvals and starts at once queue exactly one build', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, owner } = await tasks.task();
    await fixtures.revision(id);
    const path = `/api/tasks/${id}/plan/approve`;
    await Promise.all([
      ...Array.from({ length: 4 }, () => request('POST', path, { key: owner.key })),
      ...Array.from({ length: 8 }, () => startBuilds(db)),
    ]);
    await startBuilds(db);
    assert.deepEqual(await builds(id), [{ number: 1, plan_version: 1 }]);
    assert.equal((await tasks.status(id)).status, 'queued');
  }
});

test('the approval of a task that was deleted starts nothing, and is done with', async () => {
  const { id, owner } = await tasks.task();
  await fixtures.revision(id);
  await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  await db.many(sql`delete from task where id = ${id}`);
  await startBuilds(db);
  assert.deepEqual(
    await db.many(sql`
      select key from outbox
       where topic = 'agent_start' and done_at is null and key like ${`${id}:%`}`),
    [],
  );
});
