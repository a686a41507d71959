import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clusterOf, findEmbedded } from '../db/embedded/embedded.ts';
import { removeOutside } from '../db/embedded/outside.ts';
import { GUILDHALL, type Served, serve as startServer } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';
import { childrenOf, isAlive, postmasterOf, untilGone } from '../testing/processes/processes.ts';

/** Several workers on the embedded PostgreSQL, with kill -9 of each kind of process. */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-embedded-cluster-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
});

interface Running extends Served {
  pid: number;
  workers: number[];
  postmaster: number;
}

async function serve(args = ['--workers', '2']): Promise<Running> {
  const served = await startServer({ DATA_DIR: dataDir }, args);
  children.push(served.child);
  const pid = served.child.pid as number;
  const workers = await childrenOf(pid);
  assert.equal(workers.length, args.length);
  return { ...served, pid, workers, postmaster: await postmasterOf(await cluster()) };
}

const cluster = async () => (await clusterOf(dataDir)) as string;

/** The statuses of `/readyz`, each change once, until nothing answers any more; `seen` so far. */
async function readiness(url: string, seen: number[]): Promise<number[]> {
  for (;;) {
    const status = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      (reply) => reply.status,
      () => undefined,
    );
    if (status === undefined) return seen;
    if (status !== seen.at(-1)) seen.push(status);
    await pause(10);
  }
}

async function ask(text: string): Promise<object[]> {
  const client = new pg.Client((await findEmbedded(dataDir))?.url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const ENDED = 'The embedded PostgreSQL has ended';

async function assertEnded(server: Running): Promise<void> {
  for (const pid of [server.postmaster, ...server.workers]) await untilGone(pid);
  assert.equal(await findEmbedded(dataDir), undefined, 'another PostgreSQL was started');
  assert.deepEqual(await childrenOf(server.pid), []);
}

test('PostgreSQL killed: every process ends with one sentence, none starts another, the next start recovers', async () => {
  const server = await serve();
  await ask('create table note as select 1 as id');
  const seen: number[] = [];
  const watched = readiness(server.url, seen);
  await until('readiness', () => seen.length > 0);
  const killedAt = Date.now();
  process.kill(server.postmaster, 'SIGKILL');
  const [code] = await once(server.child, 'exit');
  assert.equal(code, 1);
  assert.ok(Date.now() - killedAt < 10_000, 'it took too long to notice');
  await server.logged(ENDED);
  const statuses = await watched;
  assert.ok(['200', '200,503'].includes(statuses.join()), `/readyz answered ${statuses.join()}`);
  await assertEnded(server);

  const next = await serve();
  assert.deepEqual(await ask('select id from note'), [{ id: 1 }]);
  next.child.kill('SIGTERM');
  assert.deepEqual(await once(next.child, 'exit'), [0, null]);
  await assertEnded(next);
});

test('PostgreSQL killed under a server without workers: the same', async () => {
  const server = await serve([]);
  process.kill(server.postmaster, 'SIGKILL');
  assert.deepEqual(await once(server.child, 'exit'), [1, null]);
  await server.logged(ENDED);
  await assertEnded(server);
});

test('PostgreSQL killed during a rolling restart: the same', async () => {
  const server = await serve();
  server.child.kill('SIGHUP');
  await pause(300);
  process.kill(server.postmaster, 'SIGKILL');
  assert.deepEqual(await once(server.child, 'exit'), [1, null]);
  await server.logged(ENDED);
  await assertEnded(server);
});

test('the first process killed during a rolling restart: the workers and PostgreSQL end', async () => {
  // A new worker is starting, is about to listen, or has just replaced an old one.
  for (const delay of [50, 500, 1_000]) {
    const server = await serve();
    server.child.kill('SIGHUP');
    await pause(delay);
    const all = new Set([...server.workers, ...(await childrenOf(server.pid))]);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    for (const pid of all) await untilGone(pid);
    await untilGone(server.postmaster);
  }
});

test('a worker killed: another one takes its place on the same PostgreSQL', async () => {
  const server = await serve();
  process.kill(server.workers[0] as number, 'SIGKILL');
  await server.logged('a worker has ended');
  while ((await childrenOf(server.pid)).length < 2) await pause(50);
  await pause(1_000);
  assert.equal(await postmasterOf(await cluster()), server.postmaster);
  for (let i = 0; i < 20; i++) assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  server.child.kill('SIGTERM');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
  await assertEnded(server);
});

test('a command that starts PostgreSQL again meanwhile does not split the server', async () => {
  const server = await serve();
  const watched = readiness(server.url, []);
  process.kill(server.postmaster, 'SIGKILL');
  const command = spawn(process.execPath, [GUILDHALL, 'keys', 'list'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  assert.deepEqual(await once(command, 'exit'), [0, null]);
  if (server.child.exitCode === null) await once(server.child, 'exit');
  assert.equal(server.child.exitCode, 1);
  await watched;
  for (const pid of server.workers) assert.ok(!(await isAlive(pid)));
  assert.equal(await findEmbedded(dataDir), undefined);
});
