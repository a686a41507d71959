import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeLinkedTree } from '../../../testing/fixtures/code/linked-tree.ts';
import { giveTree } from './give-tree.ts';
import { podFiles } from './pod-files.ts';
import { FIRST_USER } from './sandbox.ts';

/** Only root can give files to another user; without it, they are given to whom they belong to. */
const asRoot = process.getuid?.() === 0;
const user = asRoot
  ? { uid: FIRST_USER + 1, gid: FIRST_USER + 1 }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

const ownerOf = async (path: string) => (await lstat(path)).uid;

test('a pod gets what is in its work tree, and nothing that links lead to', async (t) => {
  const { tree, outside } = await makeLinkedTree(t);
  await podFiles(tree, user).adopt();
  for (const name of ['', 'a', 'a/file', 'b'])
    assert.equal(await ownerOf(join(tree, name)), user.uid, name);
  const server = process.getuid?.();
  for (const path of [join(tree, '..'), outside, join(outside, 'file')])
    assert.equal(await ownerOf(path), server, path);
});

for (const fresh of [false, true])
  test(`each of many files, in one folder and in many, is given to the pod${fresh ? ' that is new' : ''}`, async (t) => {
    const { tree, outside } = await makeLinkedTree(t);
    const folders = Array.from({ length: 200 }, (_, i) => `many/${i % 7}/${i}`);
    const files = [...folders.map((path) => `${path}/file`), ...folders.map((_, i) => `one/${i}`)];
    for (const path of files) {
      await mkdir(join(tree, dirname(path)), { recursive: true });
      await writeFile(join(tree, path), '');
    }
    // No file of a new one has another name.
    if (fresh) await rm(join(tree, 'hard'));
    await (fresh ? giveTree(tree, user) : podFiles(tree, user).adopt());
    const owners = [...folders, ...files].map((path) => ownerOf(join(tree, path)));
    assert.deepEqual([...new Set(await Promise.all(owners))], [user.uid]);
    for (const path of [join(tree, '..'), outside, join(outside, 'file')])
      assert.equal(await ownerOf(path), process.getuid?.(), path);
  });

test('of a new pod that cannot get its files, that is said', async (t) => {
  const { tree } = await makeLinkedTree(t);
  await assert.rejects(giveTree(join(tree, 'missing'), user), {
    code: 'failed',
    message: /could not be given to the user/,
  });
});

test('what is written gives nothing to the pod that has another name outside', async (t) => {
  const { tree, outside } = await makeLinkedTree(t);
  const server = process.getuid?.();
  for (const path of ['hard/file', 'hard/folder/file'])
    await assert.rejects(podFiles(tree, user).write(path, Buffer.from('x')), { code: 'outside' });
  assert.equal(await ownerOf(join(outside, 'file')), server);
  await podFiles(tree, user).write('new/folder/file', Buffer.from('x'));
  for (const path of ['new', 'new/folder', 'new/folder/file'])
    assert.equal(await ownerOf(join(tree, path)), user.uid, path);
});

test('removing, listing and packing a work tree follow no link', async (t) => {
  const { tree, outside, names } = await makeLinkedTree(t);
  const files = podFiles(tree, user);
  await assert.rejects(files.remove('outside/file'), { code: 'outside' });
  await assert.rejects(files.list('self'), { code: 'outside' });
  const top = names.filter((name) => !name.includes('/'));
  assert.deepEqual(
    (await files.list(''))?.map(({ name }) => name),
    top,
  );
  let packed = 0;
  for await (const part of files.pack()) packed += part.length;
  assert.ok(packed > 0 && packed < 20_000, `${packed}`);
  for (const name of top) await files.remove(name);
  assert.deepEqual(await files.list(''), []);
  assert.equal(await readFile(join(outside, 'file'), 'utf8'), 'of the machine');
});

test('a stop interrupts the change of owners', async (t) => {
  const { tree } = await makeLinkedTree(t);
  await symlink('/', join(tree, 'machine'));
  await writeFile(join(tree, 'last'), '');
  const signal = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(podFiles(tree, user).adopt({ signal }), /stopped/);
  await assert.rejects(giveTree(tree, user, signal), /stopped/);
});
