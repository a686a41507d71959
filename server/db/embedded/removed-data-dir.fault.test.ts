import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isAlive, postmasterOf, untilGone } from '../../testing/processes/processes.ts';
import { clusterOf, findEmbedded, startEmbedded } from './embedded.ts';
import { removeOutside } from './outside.ts';

/**
 * A DATA_DIR that is removed, moved or replaced while its PostgreSQL runs: that PostgreSQL is
 * stopped all the same.
 */

const root = await fs.mkdtemp(join(tmpdir(), 'guildhall-removed-'));
await fs.chmod(root, 0o755);
after(() => fs.rm(root, { recursive: true, force: true }));
const asRoot = process.getuid?.() === 0;
const outside: string[] = [];
after(async () => {
  for (const path of outside) await fs.rm(path, { recursive: true, force: true });
});

const SETTINGS = { fsync: 'off' };

/** `closed`: PostgreSQL's own user cannot enter it, so that the data is elsewhere. */
async function start(name: string, { closed = false } = {}) {
  const dataDir = join(root, name);
  if (closed) await fs.mkdir(dataDir, { mode: 0o700 });
  const server = await startEmbedded({ dataDir, settings: SETTINGS });
  const cluster = (await clusterOf(dataDir)) as string;
  if (closed) outside.push(cluster, `${cluster}.origin`);
  return { ...server, dataDir, cluster, postmaster: await postmasterOf(cluster) };
}

test('removed: stopping does not leave PostgreSQL running', async () => {
  const server = await start('removed');
  await fs.rm(server.dataDir, { recursive: true });
  await server.stop();
  await untilGone(server.postmaster, 1);
  await assert.rejects(fs.stat(server.dataDir), 'the folder was made again');
});

test('removed, with its files elsewhere as root: the same', { skip: !asRoot }, async () => {
  const server = await start('removed-closed', { closed: true });
  assert.ok(!server.cluster.startsWith(server.dataDir));
  await fs.rm(server.dataDir, { recursive: true });
  await server.stop();
  await untilGone(server.postmaster, 1);
});

test('removed at any moment of stopping: the same', { skip: !asRoot }, async () => {
  for (const delay of [0, 20, 100, 300]) {
    const server = await start(`while-stopping-${delay}`, { closed: true });
    const stopping = server.stop();
    await new Promise((done) => setTimeout(done, delay));
    await fs.rm(server.dataDir, { recursive: true });
    await stopping;
    await untilGone(server.postmaster, 1);
  }
});

test('removed, and another server has made a new one: only the old PostgreSQL is stopped', async () => {
  const old = await start('replaced');
  await fs.rm(old.dataDir, { recursive: true });
  const next = await startEmbedded({ dataDir: old.dataDir, settings: SETTINGS });
  const nextPostmaster = await postmasterOf((await clusterOf(old.dataDir)) as string);
  await old.stop();
  await untilGone(old.postmaster, 1);
  assert.ok(await isAlive(nextPostmaster));
  assert.equal((await findEmbedded(old.dataDir))?.url, next.url);
  await next.stop();
  await untilGone(nextPostmaster, 1);
});

test('moved: PostgreSQL is stopped, and starts with its data in the new place', async () => {
  const server = await start('moved');
  const moved = `${server.dataDir}-elsewhere`;
  await fs.rename(server.dataDir, moved);
  await server.stop();
  await untilGone(server.postmaster, 1);
  const next = await startEmbedded({ dataDir: moved, settings: SETTINGS });
  assert.equal(next.started, true);
  await next.stop();
  await removeOutside(moved);
});
