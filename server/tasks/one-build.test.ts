import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { claimTurn } from '../runner/worker/claim.ts';
import { startBuilds } from '../runner/worker/start-builds.ts';
import { workersOn } from '../testing/fixtures/runner/worker.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request } = harness;
const tasks = workersOn(harness);

/** A task with a plan that waits for approval, and calls of its owner. */
async function planned() {
  const { id, owner } = await tasks.task();
  const call = async (path: string, body?: object) => {
    const reply = await request('POST', `/api/tasks/${id}${path}`, { key: owner.key, body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const approveNext = async () => {
    await fixtures.revision(id);
    return call('/plan/approve');
  };
  const turns = async () =>
    (
      await db.many<{ kind: string; state: string; version: number | null }>(sql`
        select kind, state, plan_version as version from task_turn
         where task_id = ${id} order by number`)
    ).map(({ kind, state, version }) => [kind, state, version]);
  return { id, call, approveNext, turns };
}

const claim = () => claimTurn(db, { owner: 'a worker', lease: 60_000, deadline: 60_000 });

test('two versions that were approved before a worker looked are one build, of the newer', async () => {
  const { approveNext, turns } = await planned();
  await approveNext();
  assert.equal((await approveNext()).newly_approved, true);
  await startBuilds(db);
  assert.deepEqual(await turns(), [['build', 'queued', 2]]);
  const turn = await claim();
  assert.deepEqual([turn?.kind, turn?.mode], ['build', 'build']);
});

test('a version that is approved before the build of the earlier one has begun takes its place', async () => {
  const { id, approveNext, turns } = await planned();
  await approveNext();
  await startBuilds(db);
  await approveNext();
  await startBuilds(db);
  const replaced = [
    ['build', 'cancelled', 1],
    ['build', 'queued', 2],
  ];
  assert.deepEqual(await turns(), replaced);
  // Its worker found no one who could pay, so its agent was never started.
  await db.many(sql`
    with turn as (
      update task_turn set state = 'interrupted', attempt = 1
       where task_id = ${id} and plan_version = 2)
    update task set status = 'paused', status_reason = 'insufficient_funds' where id = ${id}`);
  await approveNext();
  await startBuilds(db);
  assert.deepEqual(await turns(), [
    ['build', 'cancelled', 1],
    ['build', 'cancelled', 2],
    ['build', 'queued', 3],
  ]);
  assert.equal((await tasks.status(id)).status, 'paused');
});

test('a build that has begun goes on with its version; the newer one is built after it', async () => {
  const { approveNext, turns } = await planned();
  await approveNext();
  await startBuilds(db);
  assert.equal((await claim())?.kind, 'build');
  await approveNext();
  await startBuilds(db);
  assert.deepEqual(await turns(), [
    ['build', 'running', 1],
    ['build', 'queued', 2],
  ]);
});

test('a message after the approval is read after the build, also when no worker has looked between', async () => {
  const { id, call, approveNext, turns } = await planned();
  await approveNext();
  await call('/messages', { text: 'And then?' });
  assert.deepEqual(await turns(), [
    ['build', 'queued', 1],
    ['prompt', 'queued', null],
  ]);
  assert.equal(await startBuilds(db), 0);
  assert.equal((await claim())?.kind, 'build');
  assert.equal((await turns()).length, 2);
  assert.equal((await tasks.status(id)).status, 'building');
});

test('a paused task that is resumed before a worker looked builds before it reads new messages', async () => {
  const { id, call, approveNext, turns } = await planned();
  await tasks.queue(id);
  await db.many(sql`
    update task set status = 'paused', status_reason = 'insufficient_funds' where id = ${id}`);
  await approveNext();
  await call('/resume');
  await call('/messages', { text: 'And then?' });
  assert.deepEqual(await turns(), [
    ['plan', 'queued', null],
    ['build', 'queued', 1],
    ['prompt', 'queued', null],
  ]);
});

test('race: two approvals, messages and starts: the last version is built once, before what came after', async () => {
  for (let round = 0; round < 20; round++) {
    const { id, call, approveNext, turns } = await planned();
    await Promise.all([approveNext(), startBuilds(db), startBuilds(db)]);
    await Promise.all([
      approveNext().then(() => call('/messages', { text: 'And then?' })),
      ...Array.from({ length: 4 }, () => startBuilds(db)),
    ]);
    await startBuilds(db);
    const waiting = (await turns()).filter(([, state]) => state === 'queued');
    assert.deepEqual(waiting, [
      ['build', 'queued', 2],
      ['prompt', 'queued', null],
    ]);
    await db.many(sql`delete from task where id = ${id}`);
  }
});
