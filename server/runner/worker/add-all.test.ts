import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addAll } from './add-all.ts';
import { COMMIT_BOUNDS } from './commit-bounds.ts';

/** What is looked at of files that git has listed in a tree that has changed since. */

async function makeTree(t: TestContext): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'guildhall-add-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const workTree = join(place, 'tree');
  await mkdir(workTree);
  return workTree;
}

/** Adds what git is said to have listed; returns which paths it is told to add. */
async function add(workTree: string, listed: readonly string[]) {
  const told: string[] = [];
  const git = async (args: string[], { input }: { input: string }) => {
    if (args.includes('--others')) return listed.map((path) => `${path}\0`).join('');
    if (args.includes('--add')) told.push(...input.split('\0').filter((path) => path !== ''));
    return '';
  };
  const options = { except: '.guildhall', bounds: COMMIT_BOUNDS, signal: undefined };
  const { unread } = await addAll(git, { workTree, ...options });
  return { told, unread };
}

test('files by way of a link that has replaced a folder are left out', async (t) => {
  const workTree = await makeTree(t);
  const outside = join(dirname(workTree), 'outside');
  for (const folder of [workTree, outside]) {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'b', 'file'), '');
  }
  await symlink(outside, join(workTree, 'link'));
  await symlink('a', join(workTree, 'inside'));
  const listed = [
    'a/b/file',
    'link/a/b/file',
    'link/a',
    'inside/b/file',
    'link',
    'a/b',
    'gone/file',
  ];
  assert.deepEqual((await add(workTree, listed)).told.sort(), ['a/b/file', 'link']);
});

test('a path that is too long for the system is told of, and nothing of it is added', async (t) => {
  const workTree = await makeTree(t);
  await writeFile(join(workTree, 'file'), '');
  const long = `${'d/'.repeat(2_050)}file`;
  const added = await add(workTree, ['file', long, `file/${long}`]);
  assert.deepEqual(added, { told: ['file'], unread: [long, `file/${long}`] });
});

test('what else is to be done has its turn while files in deep folders are looked at', async (t) => {
  const workTree = await makeTree(t);
  const deep = Array(240).fill('d'.repeat(14)).join('/');
  const listed = Array.from({ length: 255 }, (_, i) => `${deep}/${i}/file`);
  for (const path of listed) {
    await mkdir(join(workTree, dirname(path)), { recursive: true });
    await writeFile(join(workTree, path), '');
  }
  let [longest, last] = [0, performance.now()];
  const turn = setInterval(() => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }, 1);
  t.after(() => clearInterval(turn));
  const begun = performance.now();
  assert.equal((await add(workTree, listed)).told.length, listed.length);
  const all = performance.now() - begun;
  assert.ok(longest < all / 2, `nothing else was done for ${longest.toFixed()} of ${all} ms`);
});
