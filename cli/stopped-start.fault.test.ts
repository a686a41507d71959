import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { startingLock } from '../server/db/embedded/data-dir.ts';
import { startEmbedded } from '../server/db/embedded/embedded.ts';
import { type Release, tryLock } from '../server/db/embedded/file-lock.ts';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { until as waitFor } from '../server/testing/harness/until.ts';
import { childrenOf } from '../server/testing/processes/processes.ts';

/**
 * A signal ends a start wherever it is, and leaves nothing running that the next one would meet.
 */

const ROOT = join(import.meta.dirname, '..');

const directory = await mkdtemp(join(tmpdir(), 'guildhall-stopped-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');
const cluster = join(dataDir, 'postgres');
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await removeOutside(dataDir);
  await rm(directory, { recursive: true, force: true });
});

interface Started {
  child: ChildProcess;
  /** What it has written so far. */
  out(): string;
  /** Sends the signal and returns the status with which the process ends. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const guildhall = (args: string[], env: Record<string, string> = {}): Started =>
  start(process.execPath, [GUILDHALL, ...args], env);

function start(program: string, args: string[], env: Record<string, string> = {}): Started {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      out += chunk;
    });
  return {
    child,
    out: () => out,
    stop: async (signal) => {
      assert.equal(child.exitCode, null, out);
      child.kill(signal);
      return (await once(child, 'exit'))[0];
    },
  };
}

const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

/** Waits as long as a start takes on a machine with much to do. */
const until = (what: string, holds: () => Promise<boolean>) => waitFor(what, holds, 60_000);

/** The processes that work in DATA_DIR or were started with a path in it. */
async function left(): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (`${command} ${folder}`.includes(dataDir)) found.push(`${pid} ${command}`);
  }
  return found;
}

/** A place where connections are accepted and nothing is ever said. */
async function silent(): Promise<{ url: string; connected: () => Promise<boolean> }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://a:b@127.0.0.1:${port}/c`,
    connected: async () => connections > 0,
  };
}

test('a first start is stopped in initdb, while PostgreSQL starts, and while it migrates; the next one serves', async () => {
  const creating = guildhall(['serve']);
  await until('initdb', async () =>
    (await readdir(dataDir).catch(() => [])).some((name) => /^postgres\.new-\w+$/.test(name)),
  );
  assert.equal(await creating.stop('SIGINT'), 130, creating.out());
  assert.match(creating.out(), /SIGINT ended the start/);
  assert.deepEqual(await left(), []);
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new')),
    [],
  );

  const booting = guildhall(['serve']);
  await until('the start of PostgreSQL', () => exists(join(cluster, 'postmaster.pid')));
  assert.equal(await booting.stop('SIGTERM'), 143, booting.out());
  assert.deepEqual(await left(), []);

  const { url, stop } = await startEmbedded({ dataDir });
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await client.query(`
    create function slow() returns event_trigger language plpgsql as $$
      begin perform pg_sleep(60); end $$;
    create event trigger slow on ddl_command_start execute function slow()`);
  const migrating = guildhall(['serve']);
  const migrations = "from pg_stat_activity where application_name = 'guildhall migrate'";
  await until('the first migration', async () => {
    const { rows } = await client.query(`select ${migrations} and wait_event = 'PgSleep'`);
    return rows.length > 0;
  });
  assert.equal(await migrating.stop('SIGHUP'), 129, migrating.out());
  // Another process uses this PostgreSQL, so it runs on.
  await client.query(`select pg_terminate_backend(pid) ${migrations}`);
  await client.query('drop event trigger slow');
  await client.end();
  await stop();
  assert.deepEqual(await left(), []);

  const complete = guildhall(['serve']);
  await until('the announcement', async () => complete.out().includes('Guildhall is running at'));
  assert.equal(await complete.stop('SIGTERM'), 0, complete.out());
  assert.deepEqual(await left(), []);
});

test('SIGTERM to npm start ends the server and its PostgreSQL', async () => {
  const npm = start('npm', ['start']);
  await until('the announcement', async () => npm.out().includes('Guildhall is running at'));
  await npm.stop('SIGTERM');
  await until('the end of all', async () => (await left()).length === 0);
});

test('a start is stopped while it waits for another one', async () => {
  const release = tryLock(startingLock(dataDir), 'exclusive') as Release;
  for (const command of ['serve', 'work']) {
    const waiting = guildhall([command]);
    await until('its turn', async () => waiting.out().includes('Another process is starting'));
    assert.equal(await waiting.stop('SIGINT'), 130, waiting.out());
  }
  release();
});

test('a start is stopped while PostgreSQL, or the database of events, says nothing', async () => {
  for (const args of [['serve'], ['work'], ['serve', '--workers', '2']]) {
    const database = await silent();
    const waiting = guildhall(args, { DATABASE_URL: database.url });
    await until('a connection', database.connected);
    assert.equal(await waiting.stop('SIGTERM'), 143, waiting.out());
  }
  const { url, drop } = await cloneDatabase();
  for (const command of ['serve', 'work']) {
    const events = await silent();
    const waiting = guildhall([command], { DATABASE_URL: url, EVENT_DATABASE_URL: events.url });
    await until('a connection', events.connected);
    assert.equal(await waiting.stop('SIGTERM'), 143, waiting.out());
  }
  await drop();
});

test('a start is stopped while its workers start: none of them, and no PostgreSQL, is left', async () => {
  const starting = guildhall(['serve', '--workers', '2']);
  const pid = starting.child.pid as number;
  let release: Release | undefined;
  await until('PostgreSQL', async () => {
    if (await exists(join(cluster, 'postmaster.pid')))
      release ??= tryLock(startingLock(dataDir), 'exclusive');
    return release !== undefined;
  });
  // The workers cannot join PostgreSQL while the test has the lock.
  await until('a worker', async () => (await childrenOf(pid)).length > 0);
  const stopped = starting.stop('SIGHUP');
  await until('its end', async () => (await childrenOf(pid)).length === 0);
  release?.();
  assert.equal(await stopped, 129, starting.out());
  assert.deepEqual(await left(), []);
});
