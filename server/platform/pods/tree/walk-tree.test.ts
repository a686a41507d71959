import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeLinkedTree } from '../../../testing/fixtures/code/linked-tree.ts';
import { WALK, type WalkBounds, walkTree } from './walk-tree.ts';

/** A walk through a folder whose owner wants it to go elsewhere, or for ever. */

async function pathsIn(root: string, bounds: Partial<WalkBounds> = {}, signal?: AbortSignal) {
  const paths: string[] = [];
  for await (const { path } of walkTree(root, { ...WALK, ...bounds }, { signal })) paths.push(path);
  return paths.sort();
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-walk-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('links to a folder outside, to a parent, to itself and in a loop are not entered', async (t) => {
  const { tree, names } = await makeLinkedTree(t);
  assert.deepEqual(await pathsIn(tree), names);
});

test('a folder that a link replaces is left out, and one that is open stays the same', async (t) => {
  const root = await makeFolder(t);
  const outside = await makeFolder(t);
  await writeFile(join(outside, 'secret'), '');
  for (const name of ['a', 'b']) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, `in-${name}`), '');
  }
  const found: string[] = [];
  for await (const { path } of walkTree(root)) {
    // Both names were read already; the folder of the first is open, that of the other is not.
    if (found.length === 0)
      for (const name of ['a', 'b']) {
        await rename(join(root, name), join(outside, name));
        await symlink(outside, join(root, name));
      }
    found.push(path);
  }
  const [first] = found;
  assert.deepEqual(found, [first, `${first}/in-${first}`]);
});

test('a walk that is stopped closes its folders and says why, whatever is left to do fails', async (t) => {
  const root = await makeFolder(t);
  await mkdir(join(root, 'a/b/c'), { recursive: true });
  const opened = async () => (await readdir('/proc/self/fd')).length;
  const before = await opened();
  const stop = new AbortController();
  const leaving = async () => {
    throw new Error('what was begun has failed');
  };
  await assert.rejects(async () => {
    for await (const { path } of walkTree(root, WALK, { signal: stop.signal, leaving }))
      if (path === 'a/b') stop.abort(new Error('stopped'));
  }, /^Error: stopped$/);
  assert.equal(await opened(), before);
});

test('names that are not UTF-8 are found', async (t) => {
  const root = await makeFolder(t);
  await writeFile(Buffer.from(`${root}/\xff`, 'latin1'), '');
  assert.deepEqual(await pathsIn(root), ['\xff']);
});

test('entries, depth and time are bounded, and a stop interrupts a walk', async (t) => {
  const root = await makeFolder(t);
  await mkdir(join(root, 'a', 'b'), { recursive: true });
  await writeFile(join(root, 'a', 'b', 'c'), '');
  const bounds = { maxEntries: 3, maxDepth: 2 };
  assert.equal((await pathsIn(root, bounds)).length, 3);
  const refused = (less: Partial<WalkBounds>, message: RegExp) =>
    assert.rejects(pathsIn(root, { ...bounds, ...less }), { code: 'too_large', message });
  await refused({ maxEntries: 2 }, /more than 2 files: let the agent delete/);
  await refused({ maxDepth: 1 }, /more than 1 folders in one another/);
  await refused({ within: -1 }, /could not be looked through/);
  const stop = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(pathsIn(root, bounds, stop), /stopped/);
});

test('what else is to be done has its turn during a walk', async (t) => {
  const root = await makeFolder(t);
  for (const name of ['a', 'b', 'c']) await writeFile(join(root, name), '');
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  t.after(() => clearImmediate(next));
  for await (const _ of walkTree(root)) {
    const end = performance.now() + 5;
    while (performance.now() < end);
  }
  assert.ok(turns >= 3, `${turns} turns`);
});

test('what else is to be done waits for a part of one walk, however many there are', async (t) => {
  const root = await makeFolder(t);
  for (const name of ['a', 'b', 'c']) await writeFile(join(root, name), '');
  let [parts, most] = [0, 0];
  const count = () => {
    most = Math.max(most, parts);
    parts = 0;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  t.after(() => clearImmediate(next));
  const walk = async () => {
    let first = true;
    for await (const _ of walkTree(root)) {
      // All begin in one turn.
      if (!first) parts += 1;
      first = false;
      const end = performance.now() + 3;
      while (performance.now() < end);
    }
  };
  await Promise.all(Array.from({ length: 10 }, walk));
  assert.equal(most, 1);
});
