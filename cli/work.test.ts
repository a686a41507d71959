import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { openStream } from '../server/testing/clients/event-reader.ts';
import { agents } from '../server/testing/fixtures/runner/task-servers.ts';
import { GUILDHALL, type Served, serve } from '../server/testing/harness/serve.ts';

/**
 * `guildhall work` beside `guildhall serve --no-work`, on the embedded database of one fresh
 * DATA_DIR.
 */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-work-'));
await chmod(directory, 0o755); // as root, the users of PostgreSQL and of pods have to pass
const dataDir = join(directory, 'data');
const server = (await serve({ DATA_DIR: dataDir })) as Served & {
  key: string;
  ids: { projects: { shop: string }; organizations: { acme: string } };
};
const { url, key, ids } = server;
after(async () => {
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
});

/** Starts a worker and waits for its announcement. */
async function work(
  env = {},
): Promise<{ child: ChildProcess; announced: Record<string, unknown> }> {
  const child = spawn(process.execPath, [GUILDHALL, 'work', '--json'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    out += chunk;
    if (out.endsWith('}\n')) break;
  }
  return { child, announced: JSON.parse(out) };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${url}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

const create = (message: string): Promise<{ id: string }> =>
  call('POST', `projects/${ids.projects.shop}/tasks`, { message });

/** Waits for a status, at most 30 s. */
async function until(taskId: string, wanted: string) {
  const end = Date.now() + 30_000;
  for (;;) {
    const task = await call('GET', `tasks/${taskId}`);
    if (task.status === wanted) return task;
    assert.ok(Date.now() < end, `waited in vain for ${wanted}: ${JSON.stringify(task)}`);
    await pause(100);
  }
}

async function stop(child: ChildProcess): Promise<number> {
  child.kill('SIGTERM');
  return (await once(child, 'exit'))[0];
}

test('a message becomes a plan and, approved, a commit; the balance pays for it; it is scraped and asked how it is', async () => {
  const { child, announced } = await work({ METRICS_PORT: '0' });
  const { metrics, ...rest } = announced as { metrics: string };
  const repositories = join(dataDir, 'repositories');
  assert.deepEqual(rest, {
    data: dataDir,
    turns_at_once: 4,
    pods: join(dataDir, 'pods'),
    repositories,
  });
  const balance = async () =>
    (await call('GET', `organizations/${ids.organizations.acme}/billing/balance`)).balance;
  const before = Number(await balance());

  const { id } = await create('Add notes/greeting.md with a greeting.');
  await until(id, 'awaiting_approval');
  const plan = await call('GET', `tasks/${id}/plan`);
  assert.deepEqual([plan.version, plan.author], [1, 'agent']);
  assert.match(plan.text, /^# Plan\n\nAdd notes\/greeting\.md with a greeting\.\n/);
  await call('POST', `tasks/${id}/plan/approve`);
  const { spend } = await until(id, 'ready');
  assert.equal(spend.amount, '0.007');
  assert.equal(Math.round((before - Number(await balance())) * 1_000), 7);

  // The last status may be told a moment after it is stored.
  let page = await call('GET', `tasks/${id}/events`);
  for (let i = 0; i < 100 && page.at(-1).payload.status !== 'ready'; i += 1) {
    await pause(50);
    page = await call('GET', `tasks/${id}/events`);
  }
  // biome-ignore lint/suspicious/noExplicitAny: events of every type.
  const told = page.filter(({ type }: any) => ['status', 'commit'].includes(type));
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: events of every type.
    told.map(({ type, payload }: any) => payload.status ?? type),
    ['planning', 'awaiting_approval', 'building', 'commit', 'ready'],
  );
  const middle = Math.floor(page.length / 2);
  const stream = await openStream(`${url}/api/tasks/${id}/events`, { key, lastEventId: middle });
  const frames = await stream.until(page.length - middle);
  assert.deepEqual(
    frames.map(({ data }) => data),
    page.slice(middle),
  );
  stream.cut();

  const gitDir = join(repositories, ids.projects.shop, 'main.git');
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8' });
  const commit = told.find(({ type }: { type: string }) => type === 'commit').payload;
  assert.equal(git('rev-parse', `task/${id.slice(0, 8)}`).trim(), commit.id);
  assert.match(git('show', `${commit.id}:notes/greeting.md`), /greeting/);
  assert.deepEqual(await agents(dataDir), []);

  assert.match(await (await fetch(metrics)).text(), /^guildhall_task_worker_concurrency 4$/m);
  for (const path of ['/livez', '/readyz'])
    assert.equal((await fetch(new URL(path, metrics))).status, 200, path);
  assert.equal(await stop(child), 0);
});

test('SIGTERM lets a running turn end, and leaves no process behind; without METRICS_PORT nothing is served', async () => {
  const { child, announced } = await work();
  assert.ok(!('metrics' in announced));
  const { id } = await create('Write a.md [[slow 3]]');
  await until(id, 'planning');
  while (process.platform === 'linux' && (await agents(dataDir)).length === 0) await pause(50);
  assert.equal(await stop(child), 0);
  assert.deepEqual(await agents(dataDir), []);
  assert.equal((await call('GET', `tasks/${id}`)).status, 'awaiting_approval');
});
