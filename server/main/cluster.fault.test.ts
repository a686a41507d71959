import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { fixturesOn } from '../testing/fixtures/tenants.ts';
import { GUILDHALL, type Served, serve as startServer } from '../testing/harness/serve.ts';
import { childrenOf, untilGone } from '../testing/processes/processes.ts';

/**
 * The real command with several workers on one port, restarted, killed and stopped while clients
 * send requests.
 */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const children: ChildProcess[] = [];
const SECRET = 'a secret for tests that is long enough';
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await db.close();
  await clone.drop();
});

async function serve(args: string[], env: Record<string, string> = {}): Promise<Served> {
  const served = await startServer({ DATABASE_URL: clone.url, ...env }, args);
  children.push(served.child);
  return served;
}

/**
 * Sends requests on keep-alive connections until it is stopped; one without an answer is an error.
 */
function keepAsking(url: string, clients = 8) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const statuses: Record<number, number> = {};
  const errors: Error[] = [];
  let over = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      const path = `/api/organizations/${workspace}/invitations`;
      const asked = request(
        `${url}${path}`,
        { agent, headers: { authorization: `Bearer ${owner.key}` } },
        (reply) => {
          statuses[reply.statusCode ?? 0] = (statuses[reply.statusCode ?? 0] ?? 0) + 1;
          reply.resume().once('close', resolve);
        },
      );
      asked.once('error', (error) => {
        errors.push(error);
        resolve();
      });
      asked.end();
    });
  const running = Array.from({ length: clients }, async () => {
    while (!over) await ask();
  });
  return {
    statuses,
    errors,
    stop: async () => {
      over = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
}

test('a rolling restart of every process under load loses no request', async (t) => {
  const server = await serve(['--workers', '2']);
  const load = keepAsking(server.url);
  await pause(300);
  for (const times of [1, 2]) {
    server.child.kill('SIGHUP');
    await server.logged('2 workers restarted', times);
  }
  await pause(200);
  await load.stop();
  assert.deepEqual(load.errors, []);
  assert.deepEqual(Object.keys(load.statuses), ['200']);
  assert.ok((load.statuses[200] as number) > 50);
  t.diagnostic(`${load.statuses[200]} requests while 2 workers were replaced twice, 0 lost`);
  const metrics = await (await fetch(server.metrics)).text();
  assert.match(metrics, /^guildhall_database_up 1$/m);
  server.child.kill('SIGTERM');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});

test('a worker that is killed is replaced, and the others answer in the meantime', async () => {
  const server = await serve(['--workers', '2']);
  const workers = await childrenOf(server.child.pid as number);
  assert.equal(workers.length, 2);
  process.kill(workers[0] as number, 'SIGKILL');
  await server.logged('a worker has ended');
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  for (let i = 0; (await childrenOf(server.child.pid as number)).length < 2; i++) {
    assert.ok(i < 200, 'no other worker was started');
    await pause(100);
  }
  server.child.kill('SIGINT');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});

test('a worker killed during a rolling restart, and SIGHUP to every process, leave the same number of workers', async () => {
  const server = await serve(['--workers', '2']);
  const first = server.child.pid as number;
  const [, last] = await childrenOf(first);
  server.child.kill('SIGHUP');
  await pause(50);
  process.kill(last as number, 'SIGKILL');
  await server.logged('2 workers restarted');
  // The successor of the killed one starts after a second; a surplus one would be there by now.
  await pause(3_000);
  const workers = await childrenOf(first);
  assert.equal(workers.length, 2);
  for (const pid of [first, ...workers]) process.kill(pid, 'SIGHUP');
  await server.logged('2 workers restarted', 2);
  await pause(3_000);
  assert.equal((await childrenOf(first)).length, 2);
  server.child.kill('SIGTERM');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});

test('when the first process is killed, its workers answer their running requests and end', async () => {
  const server = await serve(['--workers', '2']);
  const workers = await childrenOf(server.child.pid as number);
  const team = await fixtures.team(workspace);
  let release = () => {};
  const holding = new Promise<void>((held) => {
    db.transaction(async (tx) => {
      await tx.many(sql`select from team where id = ${team} for update`);
      held();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
  });
  await holding;
  const asked = fetch(`${server.url}/api/organizations/${workspace}/teams/${team}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: '{"name":"Renamed"}',
  });
  await pause(500);
  server.child.kill('SIGKILL');
  await once(server.child, 'exit');
  await pause(500);
  release();
  assert.equal((await asked).status, 200);
  for (const pid of workers) await untilGone(pid);
});

test('SIGHUP, the end of its terminal, ends a server without workers', async () => {
  const server = await serve([]);
  server.child.kill('SIGHUP');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});

test('a variable that only resembles a setting is logged, and the server starts', async () => {
  const server = await serve(['--workers', '1'], { DATABASE_URL_UNPOOLED: 'postgres://x/y' });
  await server.logged('DATABASE_URL_UNPOOLED is not a setting of Guildhall and is ignored');
  server.child.kill('SIGTERM');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});

test('SIGTERM turns readiness off first; the server answers its requests, then ends', async () => {
  const server = await serve([], { SHUTDOWN_DELAY_MS: '1500' });
  const load = keepAsking(server.url);
  await pause(300);
  server.child.kill('SIGTERM');
  await pause(300);
  const ready = await fetch(`${server.url}/readyz`);
  assert.deepEqual(
    [ready.status, ((await ready.json()) as { code: string }).code],
    [503, 'shutting_down'],
  );
  await load.stop();
  assert.deepEqual(load.errors, []);
  assert.deepEqual(Object.keys(load.statuses), ['200']);
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
  await assert.rejects(fetch(`${server.url}/readyz`));
});

test('when the workers cannot listen, the server ends with a sentence and status 1, and no process is left', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const child = spawn(process.execPath, [GUILDHALL, 'serve', '--workers', '2'], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      DATABASE_URL: clone.url,
      SERVER_SECRET: SECRET,
    },
  });
  children.push(child);
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [1, null]);
  assert.match(output, new RegExp(`Port ${port} is in use`));
  assert.deepEqual(await childrenOf(child.pid as number), []);
  taken.close();
});

test('an invalid number of workers is refused with a sentence', async () => {
  const child = spawn(process.execPath, [GUILDHALL, 'serve', '--workers', '0']);
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [2, null]);
  assert.match(output, /auto or a number from 1 to 999/);
});
