import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../testing/harness/until.ts';
import { PodError } from '../pod.ts';
import { TREE_BOUNDS } from './bounds.ts';
import { packLargeTree, unpackLargeTree } from './move-large-tree.ts';
import { END, headerOf } from './tar.ts';

/** A tree that is moved by another thread, for somebody who fails, stops or has had enough. */

const FILE = 600_000;

async function makeTree(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-move-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  for (const folder of [join(from, 'a', 'b'), to]) await mkdir(folder, { recursive: true });
  for (const name of ['1', '2', '3', '4']) {
    await writeFile(join(from, name), Buffer.alloc(FILE));
    await writeFile(join(from, 'a', 'b', name), Buffer.alloc(FILE));
  }
  return { from, to };
}

/** What this process has open below a folder. */
async function openedIn(folder: string): Promise<string[]> {
  const all = await readdir('/proc/self/fd');
  const paths = await Promise.all(all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

const fileOf = (path: string) => [
  headerOf({ type: 'file', path, size: FILE, executable: false }),
  Buffer.alloc(FILE - (FILE % 512) + 512),
];

/** Never ends, and never goes on after these files. */
async function* stalled(...paths: string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* fileOf(path);
  yield headerOf({ type: 'file', path: 'last', size: FILE, executable: false });
  await new Promise(() => {});
}

const here = { entries: 1_000, bytes: 1_000_000_000 };

for (const [where, small] of [
  ['this thread', here],
  ['another thread', { entries: -1, bytes: -1 }],
] as const) {
  const only = (title: string, body: (t: TestContext) => Promise<void>) =>
    test(`${where}: ${title}`, { timeout: 60_000 }, body);

  only('whoever reads no more of an archive leaves nothing open', async (t) => {
    const { from } = await makeTree(t);
    const archive = packLargeTree(from, TREE_BOUNDS, { small });
    await archive.next();
    assert.notDeepEqual(await openedIn(from), []);
    await archive.return(undefined);
    assert.deepEqual(await openedIn(from), []);
  });

  only('a stop ends a pack, and leaves nothing open', async (t) => {
    const { from } = await makeTree(t);
    const stop = new AbortController();
    const archive = packLargeTree(from, TREE_BOUNDS, { small, signal: stop.signal });
    await archive.next();
    stop.abort(new Error('stopped'));
    await assert.rejects(async () => {
      for await (const _ of archive);
    }, /^Error: stopped$/);
    assert.deepEqual(await openedIn(from), []);
  });

  only('a stop ends an unpack that waits for its archive, and leaves nothing open', async (t) => {
    const { to } = await makeTree(t);
    const stop = new AbortController();
    const options = { small, signal: stop.signal };
    const unpacked = unpackLargeTree(to, stalled('1', '2'), TREE_BOUNDS, options);
    if (small !== here)
      await until('the first file is there', async () => (await readdir(to)).includes('1'));
    stop.abort(new Error('stopped'));
    await assert.rejects(unpacked, /^Error: stopped$/);
    assert.deepEqual(await openedIn(to), []);
  });

  only('what an archive throws is thrown as it is, and leaves nothing open', async (t) => {
    const { to } = await makeTree(t);
    const fault = new PodError('unavailable', 'the connection to the pod was lost');
    async function* archive() {
      yield* fileOf('1');
      yield headerOf({ type: 'file', path: '2', size: FILE, executable: false });
      throw fault;
    }
    const unpacked = unpackLargeTree(to, archive(), TREE_BOUNDS, { small });
    await assert.rejects(unpacked, (error) => error === fault);
    assert.deepEqual(await openedIn(to), []);
  });

  only('an error has the class, the code and the words that it always has', async (t) => {
    const { from, to } = await makeTree(t);
    const bounds = { maxBytes: 10, maxEntries: 10 };
    const packed = packLargeTree(from, bounds, { small });
    await assert.rejects(packed.next(), (error) => {
      assert.ok(error instanceof PodError);
      assert.equal(error.code, 'too_large');
      assert.match(error.sentence, /^the work tree has more than 0 MiB, reached at/);
      return true;
    });
    const pipe = [headerOf({ type: 'folder', path: '../up' }), END];
    await assert.rejects(unpackLargeTree(to, chunksOf(pipe), TREE_BOUNDS, { small }), (error) => {
      assert.ok(error instanceof PodError);
      assert.equal(error.code, 'outside');
      return true;
    });
    const nowhere = packLargeTree(join(from, 'nothing'), TREE_BOUNDS, { small });
    await assert.rejects(nowhere.next(), { code: 'ENOENT' });
  });
}

async function* chunksOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

test('what is large is left to the thread without a word', async (t) => {
  const { from, to } = await makeTree(t);
  for (let i = 0; i < 1_000; i += 1) await writeFile(join(from, 'a', `${i}`), '');
  let parts = 0;
  for await (const _ of packLargeTree(from, TREE_BOUNDS)) parts += 1;
  // Here, each file would be one.
  assert.ok(parts < 100, `${parts} parts`);
  const stop = new AbortController();
  const archive = stalled('1', '2', '3', '4');
  const unpacked = unpackLargeTree(to, archive, TREE_BOUNDS, { signal: stop.signal });
  // Here, all of it would have to be there first.
  await until('the first file is there', async () => (await readdir(to)).includes('1'));
  stop.abort(new Error('stopped'));
  await assert.rejects(unpacked, /^Error: stopped$/);
});

test('a tree that is moved to another place by one thread arrives, also many at once', async (t) => {
  const { from, to } = await makeTree(t);
  const small = { entries: -1, bytes: -1 };
  const folders = Array.from({ length: 10 }, (_, i) => join(to, String(i)));
  for (const folder of folders) await mkdir(folder);
  const move = (folder: string) =>
    unpackLargeTree(folder, packLargeTree(from, TREE_BOUNDS, { small }), TREE_BOUNDS, { small });
  // Meanwhile, one whose reader never comes back.
  const left = packLargeTree(from, TREE_BOUNDS, { small });
  await left.next();
  await Promise.all(folders.map(move));
  const names = (await readdir(from, { recursive: true })).sort();
  for (const folder of folders)
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), names);
  await left.return(undefined);
});

test('a process that is told to end does so while it packs and unpacks', async (t) => {
  const { from, to } = await makeTree(t);
  const module = new URL('./move-large-tree.ts', import.meta.url);
  const script = `
    const { packLargeTree, unpackLargeTree } = await import(${JSON.stringify(module)});
    const bounds = { maxBytes: 1024 ** 3, maxEntries: 1_000 };
    const stop = new AbortController();
    const options = { small: { entries: -1, bytes: -1 }, signal: stop.signal };
    process.on('SIGTERM', () => stop.abort(new Error('stopped')));
    const archive = packLargeTree(${JSON.stringify(from)}, bounds, options);
    await archive.next();
    async function* stalled() {
      process.kill(process.pid, 'SIGTERM');
      await new Promise(() => {});
    }
    const unpacked = unpackLargeTree(${JSON.stringify(to)}, stalled(), bounds, options);
    await unpacked.catch(({ message }) => console.log(message));
    await archive.next().catch(({ message }) => console.log(message));`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  assert.equal(stdout, 'stopped\nstopped\n');
});
