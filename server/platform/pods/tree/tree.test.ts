import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as declare, type TestContext } from 'node:test';
import type { TreeBounds } from '../pod.ts';
import { TREE_BOUNDS } from './bounds.ts';
import { packLargeTree, unpackLargeTree } from './move-large-tree.ts';
import { packTree } from './pack.ts';
import { END, headerOf, paddingOf, type TreeEntry } from './tar.ts';
import { unpackTree } from './unpack.ts';

/** A work tree that is moved, by an agent that does not want it to arrive as it was. */

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-tree-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function all(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of archive) parts.push(part);
  return Buffer.concat(parts);
}

async function* chunks(...parts: Uint8Array[]) {
  // In sevens, so that no block arrives as a whole.
  const all = Buffer.concat(parts);
  for (let at = 0; at < all.length; at += 7) yield all.subarray(at, at + 7);
}

const file = (path: string, content: string, executable = false) => [
  headerOf({ type: 'file', path, size: Buffer.byteLength(content), executable }),
  Buffer.from(content),
  paddingOf(Buffer.byteLength(content)),
];

/** Each also where another thread does it. */
const small = { entries: -1, bytes: -1 };
for (const [where, pack, unpack] of [
  ['this thread', packTree, unpackTree],
  [
    'another thread',
    (root: string, bounds: TreeBounds) => packLargeTree(root, bounds, { small }),
    (root: string, archive: AsyncIterable<Uint8Array>, bounds: TreeBounds) =>
      unpackLargeTree(root, archive, bounds, { small }),
  ],
] as const) {
  const test = (title: string, body: (t: TestContext) => Promise<void>) =>
    declare(`${where}: ${title}`, { timeout: 60_000 }, body);

  test('folders, files, modes, links and long names arrive as they were', async (t) => {
    const [from, to] = [await makeFolder(t), await makeFolder(t)];
    const long = `${'ä'.repeat(60)}/${'b'.repeat(200)}`;
    await mkdir(join(from, long), { recursive: true });
    await mkdir(join(from, 'empty'));
    await writeFile(join(from, long, 'last.txt'), 'deep');
    await writeFile(join(from, 'run.sh'), 'x'.repeat(512), { mode: 0o755 });
    await writeFile(join(from, 'large'), Buffer.alloc(700_001, 'y'));
    await symlink('run.sh', join(from, 'link'));
    await symlink(`../${'n'.repeat(150)}`, join(from, 'empty', 'long-link'));
    await writeFile(join(to, 'before'), 'was here');

    await unpack(to, pack(from, TREE_BOUNDS), TREE_BOUNDS);
    const names = async (root: string) => (await readdir(root, { recursive: true })).sort();
    assert.deepEqual(await names(to), await names(from));
    assert.equal(await readFile(join(to, long, 'last.txt'), 'utf8'), 'deep');
    assert.equal((await stat(join(to, 'run.sh'))).mode & 0o777, 0o755);
    assert.deepEqual(await readFile(join(to, 'large')), await readFile(join(from, 'large')));
    assert.equal(await readlink(join(to, 'link')), 'run.sh');
    assert.equal(await readlink(join(to, 'empty', 'long-link')), `../${'n'.repeat(150)}`);
  });

  test('other programs can read the archive, and theirs can be read', async (t) => {
    const [from, middle, to] = [await makeFolder(t), await makeFolder(t), await makeFolder(t)];
    await mkdir(join(from, 'a'.repeat(120)));
    await writeFile(join(from, 'a'.repeat(120), 'b'), 'content');
    const archive = await all(pack(from, TREE_BOUNDS));
    execFileSync('tar', ['-xf', '-', '-C', middle], { input: archive });
    const again = execFileSync('tar', ['--format=pax', '-cf', '-', '-C', middle, 'a'.repeat(120)]);
    await unpack(to, chunks(again), TREE_BOUNDS);
    assert.equal(await readFile(join(to, 'a'.repeat(120), 'b'), 'utf8'), 'content');
  });

  test('links that lead out, pipes and what belongs to git stay where they are', async (t) => {
    const [from, to] = [await makeFolder(t), await makeFolder(t)];
    await mkdir(join(from, 'sub', '.git'), { recursive: true });
    await writeFile(join(from, 'sub', '.git', 'config'), '[core]');
    await symlink('/etc/passwd', join(from, 'absolute'));
    await symlink('../../x', join(from, 'sub', 'up'));
    execFileSync('mkfifo', [join(from, 'pipe')]);
    await writeFile(join(from, 'kept'), '');
    await unpack(to, pack(from, TREE_BOUNDS), TREE_BOUNDS);
    assert.deepEqual((await readdir(to, { recursive: true })).sort(), ['kept', 'sub']);
  });

  test('what a hostile archive would add is left out', async (t) => {
    const to = await makeFolder(t);
    const retyped = (type: string, entry: TreeEntry) => {
      const header = headerOf(entry);
      const difference = type.charCodeAt(0) - (header[156] as number);
      const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) + difference;
      header.write(type, 156);
      header.write(sum.toString(8).padStart(6, '0'), 148);
      return header;
    };
    const link = (path: string, target: string) => headerOf({ type: 'link', path, target });
    const archive = [
      ...['1', '3', '4', '6'].map((type) => retyped(type, { type: 'folder', path: `x${type}` })),
      link('out', '/etc'),
      link('up', '..'),
      ...file('.GIT/config', '[core]'),
      ...file('last', 'arrived'),
    ];
    await unpack(to, chunks(...archive, END), TREE_BOUNDS);
    assert.deepEqual(await readdir(to), ['last']);
  });

  test('a path that leaves the tree, also through a link, is refused', async (t) => {
    const to = await makeFolder(t);
    for (const path of ['../x', '/etc/x', 'a/../../x', 'a//b', './a', '.', `${'d/'.repeat(101)}x`])
      await assert.rejects(unpack(to, chunks(...file(path, 'x'), END), TREE_BOUNDS), {
        code: 'outside',
      });
    const inside = headerOf({ type: 'folder', path: 'real' });
    const link = headerOf({ type: 'link', path: 'link', target: 'real' });
    const through = [inside, link, ...file('link/x', 'x'), END];
    await assert.rejects(unpack(to, chunks(...through), TREE_BOUNDS), { code: 'outside' });
    assert.deepEqual(await readdir(join(to, 'real')), []);
  });

  test('an archive that is damaged, has a file twice or no end is refused', async (t) => {
    const to = await makeFolder(t);
    const refused = (...parts: Uint8Array[]) =>
      assert.rejects(unpack(to, chunks(...parts), TREE_BOUNDS), { code: 'failed' });
    await refused(...file('a', '1'), ...file('a', '2'), END);
    await refused(...file('a', '1'));
    await refused(
      headerOf({ type: 'file', path: 'a', size: 9, executable: false }),
      END.subarray(512),
    );
    await refused(Buffer.alloc(512, 1), END);
    await refused(END, Buffer.alloc(100_000));
  });

  test('more than the bounds is refused on both sides', async (t) => {
    const [from, to] = [await makeFolder(t), await makeFolder(t)];
    for (const name of ['a', 'b', 'c']) await writeFile(join(from, name), '12345');
    for (const bounds of [
      { maxBytes: 14, maxEntries: 3 },
      { maxBytes: 15, maxEntries: 2 },
    ]) {
      await assert.rejects(all(pack(from, bounds)), { code: 'too_large' });
      const whole = pack(from, TREE_BOUNDS);
      await assert.rejects(unpack(to, whole, bounds), { code: 'too_large' });
    }
    await assert.rejects(all(pack(from, { maxBytes: 14, maxEntries: 3 })), {
      message: /^the work tree has more than .*, reached at [abc] \(.*\): let the agent delete/,
    });
    // A folder with content, and extended headers without a file.
    const padded = headerOf({ type: 'folder', path: 'f' });
    const pax = headerOf({ type: 'folder', path: 'p'.repeat(200) }).subarray(0, -512);
    await assert.rejects(unpack(to, chunks(pax, pax, padded), TREE_BOUNDS), { code: 'failed' });
  });

  test('whoever sends an archive learns that its reader has given up', async (t) => {
    const to = await makeFolder(t);
    let ended = false;
    async function* endless() {
      try {
        for (let n = 0; ; n += 1) yield Buffer.concat(file(`f${n}`, 'x'));
      } finally {
        ended = true;
      }
    }
    const bounds = { maxBytes: 10, maxEntries: 10 };
    await assert.rejects(unpack(to, endless(), bounds), { code: 'too_large' });
    assert.ok(ended);
  });
}
