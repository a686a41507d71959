import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findEmbedded, startEmbedded } from './embedded.ts';
import { removeOutside } from './outside.ts';

const root = await fs.mkdtemp(join(tmpdir(), 'guildhall-embedded-'));
await fs.chmod(root, 0o755);
after(() => fs.rm(root, { recursive: true, force: true }));
const asRoot = process.getuid?.() === 0;

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Another process that starts the embedded PostgreSQL, prints `{ url, started }`, and stops at a
 * line on its stdin.
 */
function spawnStarter(dataDir: string) {
  const code = `
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))};
    const { stop, ...found } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, settings: { fsync: 'off' } });
    console.log(JSON.stringify(found));
    process.stdin.once('data', async () => { await stop(); process.exit(); });`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function another(
  dataDir: string,
): Promise<{ url: string; started: boolean; child: ChildProcess }> {
  const child = spawnStarter(dataDir);
  for await (const line of createInterface({ input: child.stdout }))
    return { ...JSON.parse(line), child };
  throw new Error('the other process ended without a word');
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => child.once('exit', () => done()));
}

async function killPostgres(cluster: string): Promise<void> {
  const pid = Number.parseInt(await fs.readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, 'SIGKILL');
}

test('a first start makes a database that flushes to the disk; a second start finds its data', async () => {
  const dataDir = join(root, 'twice');
  const first = await startEmbedded({ dataDir });
  assert.equal(first.started, true);
  const setting = (name: string) =>
    ask(first.url, `select setting from pg_settings where name = '${name}'`);
  assert.deepEqual(await setting('fsync'), [{ setting: 'on' }]);
  assert.deepEqual(await setting('listen_addresses'), [{ setting: '127.0.0.1' }]);
  assert.deepEqual(await setting('data_checksums'), [{ setting: 'on' }]);
  assert.deepEqual(
    await ask(first.url, 'select datlocprovider, datlocale from pg_database where oid = 1'),
    [{ datlocprovider: 'b', datlocale: 'C.UTF-8' }],
  );
  await ask(first.url, 'create table note as select 1 as id');
  await Promise.all([first.stop(), first.stop()]);
  assert.equal(await findEmbedded(dataDir), undefined);

  const second = await startEmbedded({ dataDir });
  assert.deepEqual(await ask(second.url, 'select id from note'), [{ id: 1 }]);
  await second.stop();
  assert.equal((await fs.stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600);
});

test('what was committed survives kill -9 of PostgreSQL and of the server', async () => {
  const dataDir = join(root, 'killed');
  const server = await another(dataDir);
  await ask(server.url, 'create table note as select 1 as id');
  server.child.kill('SIGKILL');
  await ended(server.child);
  await killPostgres(join(dataDir, 'postgres'));

  const next = await startEmbedded({ dataDir });
  assert.equal(next.started, true);
  assert.deepEqual(await ask(next.url, 'select id from note'), [{ id: 1 }]);
  await next.stop();
});

test('kill -9 of PostgreSQL alone: the next start beside the living server recovers', async () => {
  const dataDir = join(root, 'killed-alone');
  const first = await startEmbedded({ dataDir });
  await killPostgres(join(dataDir, 'postgres'));
  const second = await startEmbedded({ dataDir });
  assert.deepEqual(await ask(second.url, 'select 1 as up'), [{ up: 1 }]);
  await first.stop();
  await second.stop();
});

test('a PostgreSQL whose server was killed is taken up, and stopped in the end', async () => {
  const dataDir = join(root, 'orphan');
  const server = await another(dataDir);
  server.child.kill('SIGKILL');
  await ended(server.child);
  assert.equal((await findEmbedded(dataDir))?.url, server.url);

  const next = await startEmbedded({ dataDir });
  assert.deepEqual([next.started, next.url], [true, server.url]);
  await next.stop();
  assert.equal(await findEmbedded(dataDir), undefined);
});

test('a command beside a server uses the same PostgreSQL and leaves it running', async () => {
  const dataDir = join(root, 'beside');
  const server = await another(dataDir);
  const command = await startEmbedded({ dataDir });
  assert.deepEqual([server.started, command.started], [true, false]);
  assert.equal(command.url, server.url);
  await command.stop();
  assert.equal((await findEmbedded(dataDir))?.url, server.url);
  server.child.stdin?.write('stop\n');
  await ended(server.child);
  assert.equal(await findEmbedded(dataDir), undefined);
});

test('PostgreSQL outlives the process that started it while another works with it', async () => {
  const dataDir = join(root, 'handover');
  const first = await another(dataDir);
  const second = await startEmbedded({ dataDir });
  first.child.stdin?.write('stop\n');
  await ended(first.child);
  assert.deepEqual(await ask(second.url, 'select 1 as up'), [{ up: 1 }]);
  await second.stop();
  assert.equal(await findEmbedded(dataDir), undefined);
});

test('two first starts at once share one cluster', async () => {
  const dataDir = join(root, 'at-once');
  const both = await Promise.all([another(dataDir), another(dataDir)]);
  assert.equal(both[0].url, both[1].url);
  assert.deepEqual(both.map(({ started }) => started).sort(), [false, true]);
  for (const { child } of both) {
    child.stdin?.write('stop\n');
    await ended(child);
  }
  assert.equal(await findEmbedded(dataDir), undefined);
});

test('a first start killed midway leaves nothing half done', async () => {
  const dataDir = join(root, 'midway');
  const child = spawnStarter(dataDir);
  const begun = async () =>
    (await fs.readdir(dataDir).catch((): string[] => [])).filter((name) =>
      name.startsWith('postgres.new'),
    );
  while ((await begun()).length === 0) await sleep(5);
  child.kill('SIGKILL');
  await ended(child);

  const next = await startEmbedded({ dataDir });
  assert.equal(next.started, true);
  assert.deepEqual(await begun(), []);
  assert.deepEqual(await ask(next.url, 'select 1 as up'), [{ up: 1 }]);
  await next.stop();
});

test('a failure to start says what PostgreSQL said and what else can be done', async () => {
  const dataDir = join(root, 'wrong');
  const start = startEmbedded({ dataDir, settings: { shared_buffers: 'plenty' } });
  await assert.rejects(start, /DATABASE_URL.*\n.*shared_buffers/s);
});

test('as root, in a directory only root may enter, the data is stored elsewhere', {
  skip: !asRoot,
}, async () => {
  const dataDir = await fs.mkdtemp(join(root, 'closed-'));
  const lines: string[] = [];
  const start = () => startEmbedded({ dataDir, log: (line) => lines.push(line) });
  const first = await start();
  assert.match(lines.join('\n'), /the data is stored in \/var\/lib\/guildhall\/data-/);
  await ask(first.url, 'create table note as select 1 as id');
  assert.equal((await findEmbedded(dataDir))?.url, first.url);
  await first.stop();

  const second = await start();
  assert.deepEqual(await ask(second.url, 'select id from note'), [{ id: 1 }]);
  await second.stop();

  const copy = `${dataDir}-copy`;
  await fs.cp(dataDir, copy, { recursive: true });
  await assert.rejects(startEmbedded({ dataDir: copy }), /is a copy of/);

  const moved = `${dataDir}-moved`;
  await fs.rename(dataDir, moved);
  const third = await startEmbedded({ dataDir: moved });
  assert.deepEqual(await ask(third.url, 'select id from note'), [{ id: 1 }]);
  await third.stop();

  await fs.mkdir(dataDir, { mode: 0o700 });
  const anew = await start();
  assert.deepEqual(await ask(anew.url, "select to_regclass('note') as note"), [{ note: null }]);
  await anew.stop();
  await removeOutside(dataDir);
  await removeOutside(moved);
  await assert.rejects(startEmbedded({ dataDir: moved }), /is no longer there/);
});
