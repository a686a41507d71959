import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeLinkedTree } from '../../../testing/fixtures/code/linked-tree.ts';
import { SHARED } from './disk.ts';
import { removeLargeTree } from './remove-large-tree.ts';
import { emptyFolder, removeTree } from './remove-tree.ts';

/** The removal of a folder whose owner wants it to stay, or others to go with it. */

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-remove-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('what links lead to stays', async (t) => {
  const { tree, outside } = await makeLinkedTree(t);
  await removeTree(join(tree, 'outside'));
  await emptyFolder(tree);
  assert.deepEqual(await readdir(tree), []);
  await removeTree(tree);
  await removeTree(tree);
  await removeTree(join(tree, 'in', 'nothing'));
  assert.equal(await readFile(join(outside, 'file'), 'utf8'), 'of the machine');
});

test('a folder that is deeper than a path can name goes', async (t) => {
  const root = await makeFolder(t);
  const script = `
    for (let depth = 0; depth < 150; depth++) {
      fs.mkdirSync('d'.repeat(200));
      fs.writeFileSync('file', '');
      process.chdir('d'.repeat(200));
    }`;
  execFileSync(process.execPath, ['-e', script], { cwd: root });
  await writeFile(Buffer.from(`${root}/\xff`, 'latin1'), '');
  await removeTree(join(root, 'd'.repeat(200)));
  await emptyFolder(root);
  assert.deepEqual(await readdir(root), []);
});

test('a folder goes at once that is deeper than a hundred times what is open', async (t) => {
  const root = await makeFolder(t);
  const script = `
    for (let depth = 0; depth < 7_000; depth++) {
      fs.mkdirSync('d');
      process.chdir('d');
    }`;
  execFileSync(process.execPath, ['-e', script], { cwd: root });
  await removeTree(join(root, 'd'));
  assert.deepEqual(await readdir(root), []);
});

test('folders that their owner may not read or write go', async (t) => {
  const root = await makeFolder(t);
  const NOBODY = 65_534;
  const asRoot = process.getuid?.() === 0;
  for (const [name, mode] of [
    ['read-only', 0o555],
    ['closed', 0o000],
  ] as const) {
    await mkdir(join(root, name, 'sub'), { recursive: true });
    await writeFile(join(root, name, 'sub', 'file'), '');
    for (const folder of [join(root, name, 'sub'), join(root, name)]) {
      if (asRoot) await chown(folder, NOBODY, NOBODY);
      await chmod(folder, mode);
    }
  }
  if (asRoot) await chown(root, NOBODY, NOBODY);
  if (asRoot) process.seteuid?.(NOBODY);
  try {
    await emptyFolder(root);
  } finally {
    if (asRoot) process.seteuid?.(0);
  }
  assert.deepEqual(await readdir(root), []);
});

for (const [who, remove] of [
  ['this thread', removeTree],
  [
    'another thread',
    (path: string, options = {}) => removeLargeTree(path, { here: 0, ...options }),
  ],
] as const) {
  test(`${who} is interrupted by a stop and a bound of time, and touches nothing else`, async (t) => {
    const root = await makeFolder(t);
    await mkdir(join(root, 'a'));
    await writeFile(join(root, 'a', 'b'), '');
    const signal = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(remove(join(root, 'a'), { signal }), /stopped/);
    await assert.rejects(remove(join(root, 'a'), { within: -1 }), { code: 'unavailable' });
    assert.deepEqual((await readdir(root, { recursive: true })).sort(), ['a', 'a/b']);
  });

  test(`${who} says why it cannot remove something`, async (t) => {
    const root = await makeFolder(t);
    await writeFile(join(root, 'file'), 'stays');
    await assert.rejects(remove(join(root, 'file', 'in', 'it')), {
      code: 'ENOTDIR',
      message: /not a directory/,
    });
    assert.equal(await readFile(join(root, 'file'), 'utf8'), 'stays');
  });
}

test('a folder with files that takes the place of one that is emptied goes, too', async (t) => {
  const root = await makeFolder(t);
  const tree = join(root, 'tree');
  await mkdir(join(tree, 'a'), { recursive: true });
  await writeFile(join(tree, 'a', 'old'), '');
  const unlink = async (path: Buffer) => {
    await SHARED.unlink(path);
    if (basename(path.toString()) !== 'old') return;
    await rename(join(tree, 'a'), join(root, 'moved'));
    await mkdir(join(tree, 'a'));
    await writeFile(join(tree, 'a', 'new'), '');
  };
  await removeTree(tree, { disk: { ...SHARED, unlink } });
  assert.deepEqual(await readdir(root), ['moved']);
});

test('what takes long is removed by another thread, which follows no link either', async (t) => {
  const { tree, outside } = await makeLinkedTree(t);
  await removeLargeTree(tree, { here: 0 });
  await assert.rejects(readdir(tree), { code: 'ENOENT' });
  assert.equal(await readFile(join(outside, 'file'), 'utf8'), 'of the machine');
});

test('another thread that is stopped removes nothing more', async (t) => {
  const root = await makeFolder(t);
  const tree = join(root, 'tree');
  await mkdir(tree);
  await writeFile(join(tree, 'file'), '');
  const stop = new AbortController();
  const removal = removeLargeTree(tree, { here: 0, signal: stop.signal });
  stop.abort(new Error('stopped'));
  await assert.rejects(removal, /stopped/);
  // The thread does one piece of work after the other.
  await removeLargeTree(join(root, 'nothing'), { here: 0 });
  assert.deepEqual(await readdir(tree), ['file']);
});
