import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, test } from 'node:test';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { startProgram } from '../../testing/processes/start-program.ts';
import type { TurnRunner } from './runner.ts';

/** A worker that dies, sleeps or loses its database: nothing is lost, nothing happens twice. */

const harness = await startHarness({ own: true });
const { db, databaseUrl, fixtures, request, snapshot } = harness;
const tasks = workersOn(harness);

const children: { kill(signal: 'SIGKILL'): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A worker in a process of its own. */
async function workerProcess() {
  const child = startProgram('worker-process.ts', [], {
    DATABASE_URL: databaseUrl,
    CONCURRENCY: '3',
  });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until('the worker has started', () => lines.includes('started'));
  return { child, lines };
}

/** A task whose first turn takes it to this state with the worker that is running. */
async function taskIn(state: string) {
  const { id, owner } = await tasks.task();
  if (state !== 'building') await tasks.queue(id, 'plan', state === 'planning' ? 'talk' : 'ask');
  else {
    await fixtures.revision(id);
    await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  }
  await tasks.untilStatus(id, state);
  const sign = state === 'awaiting_answer' ? 'request' : 'notice';
  await until(`${sign} of the agent`, async () =>
    (await tasks.eventsOf(id)).some(({ type }) => type === sign),
  );
  return id;
}

const finish: TurnRunner['run'] = async () => ({ text: 'Done by another worker' });

/** The turn was done once more, by another worker, and everything of it is there once. */
async function assertDoneOnce(taskId: string, losses = 1): Promise<void> {
  const turns = await db.many(sql`
    select state, attempt, losses from task_turn where task_id = ${taskId}`);
  assert.deepEqual(turns, [{ state: 'done', attempt: losses + 1, losses }]);
  const messages = await db.many(sql`
    select content from task_message where task_id = ${taskId}`);
  assert.deepEqual(messages, [{ content: 'Done by another worker' }]);
  const open = await db.many(sql`
    select id from agent_request where task_id = ${taskId} and state = 'open'`);
  assert.deepEqual(open, []);
  const events = await tasks.eventsOf(taskId);
  assert.equal(events.filter(({ type }) => type === 'turn_ended').length, 1);
  assert.deepEqual(
    events.filter(({ type }) => type === 'turn_started').map(({ attempt }) => attempt),
    Array.from({ length: losses + 1 }, (_, index) => index + 1),
  );
  const after = events.findLastIndex(({ type }) => type === 'turn_started');
  assert.ok(
    events.slice(after).every(({ type }) => type !== 'notice'),
    'written after a take-over',
  );
}

const endPublished = (taskId: string) =>
  until('the end is published', async () => {
    const events = await tasks.eventsOf(taskId);
    return events.some(({ type }) => type === 'turn_ended');
  });

const STATES = ['planning', 'building', 'awaiting_answer'];

/** A task in each state, with the worker that is running. */
async function tasksInAll(): Promise<string[]> {
  const ids: string[] = [];
  for (const state of STATES) ids.push(await taskIn(state));
  return ids;
}

/** They all go on with another worker, once. */
async function goOn(ids: readonly string[], run = finish): Promise<void> {
  const second = tasks.worker(run);
  for (const id of ids) await endPublished(id);
  await second.close();
}

test('kill -9, whatever a task was at: another worker goes on after the lease', async () => {
  const first = await workerProcess();
  const ids = await tasksInAll();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await tasks.expireLeases();
  await goOn(ids);
  for (const id of ids) await assertDoneOnce(id);
});

test('stopped and continued after a take-over: it ends its agents and writes nothing', async () => {
  const first = await workerProcess();
  const ids = await tasksInAll();
  first.child.kill('SIGSTOP');
  await tasks.expireLeases();
  await goOn(ids);
  const before = await snapshot();
  first.child.kill('SIGCONT');
  const stopped = () => first.lines.filter((line) => line === 'stopped');
  await until('the agents are stopped', () => stopped().length === ids.length);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(await snapshot(), before);
  for (const id of ids) await assertDoneOnce(id);
});

test('no database: the agents are ended before the lease, and another worker goes on', async () => {
  const proxy = await startProxy(databaseUrl);
  const database = openDatabase({ url: proxy.url, connectTimeout: 2_000, statementTimeout: 2_000 });
  const stopped: string[] = [];
  const first = tasks.worker(
    async ({ taskId, prompt }, { append, ask, signal }) => {
      signal.addEventListener('abort', () => stopped.push(taskId));
      if (prompt === 'ask') await ask({ kind: 'question', title: 'Which one?', options: [] });
      while (!signal.aborted) {
        await append({ type: 'notice', payload: { text: 'still here' } });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw signal.reason;
    },
    { database, times: { lease: 6_000, silence: 4_000 } },
  );
  const ids = await tasksInAll();
  await new Promise((resolve) => setTimeout(resolve, 150));
  proxy.silence();
  const beside: string[] = [];
  await goOn(ids, async (turn, context) => {
    if (!stopped.includes(turn.taskId)) beside.push(turn.taskId);
    return finish(turn, context);
  });
  assert.deepEqual(beside, [], 'tasks that two workers were at');
  assert.deepEqual(stopped.sort(), [...ids].sort());
  proxy.cut();
  const before = await snapshot();
  proxy.mend();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(await snapshot(), before);
  for (const id of ids) await assertDoneOnce(id);
  await first.close();
  await database.close();
  await proxy.close();
});

test('a turn whose worker vanishes three times is given up, and a person decides', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id, 'plan', 'talk');
  await db.many(sql`update task_turn set losses = 2 where id = ${turn}`);
  const first = await workerProcess();
  await tasks.untilStatus(id, 'planning');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await tasks.expireLeases();
  const second = tasks.worker(finish);
  await tasks.untilTurn(turn, 'failed');
  assert.match((await tasks.status(id)).reason ?? '', /interrupted 3 times/);
  await second.close();
});

test('an end that its worker stored but did not publish is published later, once', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const worker = tasks.worker(finish);
  await tasks.untilTurn(turn, 'done');
  await tasks.untilPublished(turn);
  await db.many(sql`update task_turn set published_at = null where id = ${turn}`);
  const next = await tasks.queue(id, 'prompt');
  await tasks.untilTurn(next, 'done');
  const ends = (await tasks.eventsOf(id)).filter(({ type }) => type === 'turn_ended');
  assert.equal(ends.filter(({ number }) => number === 1).length, 1);
  await worker.close();
});
