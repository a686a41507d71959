import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { openStream } from '../testing/clients/event-reader.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import type { Served } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';

/** `guildhall serve` carries out tasks in its own process: killed, stopped, and beside others. */

const tasks = await taskServers();
const { db, serve, create, untilStatus, untilAtWork } = tasks;

async function end({ child }: Served, signal: NodeJS.Signals = 'SIGTERM') {
  const began = performance.now();
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return { code, ms: performance.now() - began };
}

const pidOf = ({ child }: Served) => child.pid as number;

test('with --no-work it claims nothing, and another server carries out what it took', async () => {
  const without = await serve([], { work: false });
  const before = await create(without, 'Write before.md');
  const working = await serve();
  const after = await create(without, 'Write after.md');
  for (const id of [before, after]) {
    await untilStatus(id, 'awaiting_approval');
    assert.equal(await tasks.workerOf(id), pidOf(working));
  }
  assert.deepEqual((await end(without)).code, 0);
  assert.deepEqual((await end(working)).code, 0);
});

test('two servers on one database share the turns', async () => {
  const one = { TASK_TURNS_AT_ONCE: '1' };
  const [first, second] = await Promise.all([serve([], one), serve([], one)]);
  const ids = await Promise.all([1, 2].map((i) => create(first, `Write ${i}.md [[slow 60]]`)));
  await Promise.all(ids.map((id) => untilStatus(id, 'planning')));
  await until('both claimed', async () => {
    const logs = await db.many(sql`select from task_log where task_id = any(${ids}::uuid[])`);
    return logs.length === 2;
  });
  const workers = await Promise.all(ids.map(tasks.workerOf));
  assert.deepEqual(new Set(workers), new Set([pidOf(first), pidOf(second)]));
  for (const id of ids) await tasks.call(first, 'POST', `tasks/${id}/cancel`);
  for (const id of ids) await untilStatus(id, 'cancelled');
  await Promise.all([end(first), end(second)]);
});

test('killed during a turn, it leaves no agent behind, and the next start goes on with the turn', async () => {
  const killed = await serve();
  const id = await create(killed, 'Write killed.md [[slow 3]]');
  await untilAtWork(id);
  await end(killed, 'SIGKILL');
  await until('no agent is left', async () => (await tasks.agents()).length === 0);
  await tasks.expireLeases();
  const next = await serve();
  await untilStatus(id, 'awaiting_approval');
  assert.deepEqual(await tasks.turn(id), { state: 'done', attempt: 2, losses: 1 });
  const events = await tasks.call<{ seq: number }[]>(next, 'GET', `tasks/${id}/events?limit=200`);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, i) => i + 1),
  );
  assert.equal((await end(next)).code, 0);
});

test('SIGTERM: streams end, then the turn is left to others, within SHUTDOWN_TIMEOUT_MS', async () => {
  const stopped = await serve([], { SHUTDOWN_TIMEOUT_MS: '7000' });
  const id = await create(stopped, 'Write stopped.md [[slow 60]]');
  await untilAtWork(id);
  const stream = await openStream(`${stopped.url}/api/tasks/${id}/events`, tasks.owner);
  await stream.until(1);
  const { code, ms } = await end(stopped);
  assert.equal(code, 0);
  // Not the 20 s that the turn would have without the setting.
  assert.ok(ms >= 2_000 && ms < 15_000, `${Math.round(ms)} ms`);
  await stream.ended;
  assert.match(stream.text(), /retry: \d+/);
  assert.deepEqual(await tasks.agents(), []);
  assert.deepEqual(await tasks.turn(id), { state: 'interrupted', attempt: 1, losses: 0 });
  const next = await serve();
  await until('taken over', async () => (await tasks.turn(id)).attempt === 2);
  await tasks.call(next, 'POST', `tasks/${id}/cancel`);
  await untilStatus(id, 'cancelled');
  assert.equal((await end(next)).code, 0);
});

test('where agents cannot work, it serves the API, says what is missing, and turns wait', async () => {
  const pods = join(tasks.dataDir, 'pods');
  await rm(pods, { recursive: true });
  await mkdir(tasks.dataDir, { recursive: true });
  await writeFile(pods, 'in the way');
  // A server of another test that was killed is believed for thirty seconds.
  await db.many(sql`delete from task_worker`);
  const unable = await serve();
  await unable.logged('tasks cannot be carried out here');
  await unable.logged('EEXIST');
  await until('not ready', async () => (await fetch(`${unable.url}/readyz`)).status === 503);
  const metrics = async ({ metrics: url }: Served) => (await fetch(url)).text();
  assert.match(await metrics(unable), /^guildhall_task_worker_ready 0$/m);
  const id = await create(unable, 'Write waits.md');
  assert.equal(await tasks.status(id), 'queued');
  assert.equal((await end(unable)).code, 0);
  await rm(pods);
  const able = await serve();
  await untilStatus(id, 'awaiting_approval');
  assert.match(await metrics(able), /^guildhall_task_worker_ready 1$/m);
  assert.equal((await end(able)).code, 0);
});
