import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { taskServers } from '../testing/fixtures/runner/task-servers.ts';
import type { Served } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';
import { childrenOf, untilGone } from '../testing/processes/processes.ts';

/** `serve --workers N`: one process of the group carries out tasks, whatever N is. */

const tasks = await taskServers();
const { db, create, untilStatus, untilAtWork } = tasks;
const children = ({ child }: Served) => childrenOf(child.pid as number);
const serve = (env: Record<string, string> = {}) => tasks.serve(['--workers', '2'], env);

async function end({ child }: Served): Promise<void> {
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}

test('all turns are those of one process, TASK_TURNS_AT_ONCE of them at once, and it is counted', async () => {
  const server = await serve({ TASK_TURNS_AT_ONCE: '2' });
  assert.equal((await children(server)).length, 3);
  const names = Array.from({ length: 5 }, (_, i) => `Write ${i}.md [[slow 1]]`);
  const ids = await Promise.all(names.map((name) => create(server, name)));
  let most = 0;
  await until(
    'all planned',
    async () => {
      const { running, planned } = await db.one<{ running: number; planned: number }>(sql`
        select (count(*) filter (where u.state = 'running'))::int as running,
               (count(*) filter (where t.status = 'awaiting_approval'))::int as planned
          from task t join task_turn u on u.task_id = t.id where t.id = any(${ids}::uuid[])`);
      most = Math.max(most, running);
      return planned === ids.length;
    },
    90_000,
  );
  assert.ok(most <= 2, `${most} at once`);
  const workers = new Set(await Promise.all(ids.map(tasks.workerOf)));
  assert.equal(workers.size, 1);
  assert.ok((await children(server)).includes([...workers][0] as number));
  const metrics = await (await fetch(server.metrics)).text();
  assert.match(metrics, /^guildhall_task_worker_ready 1$/m);
  await end(server);
});

test('killed, it is replaced, and its successor goes on with the turn; SIGHUP replaces it too', async () => {
  const server = await serve();
  const id = await create(server, 'Write killed.md [[slow 60]]');
  await untilAtWork(id);
  const first = await tasks.workerOf(id);
  process.kill(first, 'SIGKILL');
  await server.logged('a worker has ended');
  await tasks.expireLeases();
  await until('taken over', async () => (await tasks.turn(id)).attempt === 2, 60_000);
  await until('by another process', async () => (await tasks.workerOf(id)) !== first, 60_000);
  await tasks.call(server, 'POST', `tasks/${id}/cancel`);
  await untilStatus(id, 'cancelled');

  const second = await tasks.workerOf(id);
  server.child.kill('SIGHUP');
  await server.logged('workers restarted');
  await untilGone(second);
  assert.equal((await children(server)).length, 3);
  const next = await create(server, 'Write next.md');
  await untilStatus(next, 'awaiting_approval');
  assert.ok((await children(server)).includes(await tasks.workerOf(next)));
  await end(server);
});

test('when the first process is killed, it leaves its turn to others and ends', async () => {
  const server = await serve({ SHUTDOWN_TIMEOUT_MS: '5000' });
  const id = await create(server, 'Write orphaned.md [[slow 60]]');
  await untilAtWork(id);
  const all = await children(server);
  server.child.kill('SIGKILL');
  await once(server.child, 'exit');
  for (const pid of all) await untilGone(pid, 60);
  assert.deepEqual(await tasks.agents(), []);
  assert.deepEqual(await tasks.turn(id), { state: 'interrupted', attempt: 1, losses: 0 });
});

test('with --no-work, there is no such process', async () => {
  const server = await tasks.serve(['--workers', '2'], { work: false });
  assert.equal((await children(server)).length, 2);
  await end(server);
});
