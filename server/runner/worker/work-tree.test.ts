import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { branchOf } from '../../code/repositories/git.ts';
import type { Pod, PodDriver } from '../../platform/pods/pod.ts';
import { makePod, makePods, shell } from '../../testing/fixtures/runner/pods.ts';
import { fillPod } from './commands/fill-pod.ts';
import { openRepositories } from './repository.ts';
import { workTrees } from './work-tree.ts';

/** Work trees of pods on this machine and, as far as the worker can tell, on another one. */

async function makeTrees(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-trees-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const repositories = openRepositories(directory);
  return { directory, staging: repositories.staging, trees: workTrees(repositories) };
}

const elsewhere = (pod: Pod): Pod => ({ ...pod, hostWorkTree: undefined, hostFolder: undefined });

const show = (directory: string, projectId: string, what: string) =>
  execFileSync('git', ['-C', join(directory, projectId, 'main.git'), 'show', what], {
    encoding: 'utf8',
  });

for (const [title, place] of [
  ['on this machine', (pod: Pod) => pod],
  ['on another machine', elsewhere],
] as const)
  test(`a pod ${title}: commit, check out in a second pod, commit`, async (t) => {
    const { directory, staging, trees } = await makeTrees(t);
    const pods: PodDriver = await makePods(t);
    const of = { projectId: randomUUID(), taskId: randomUUID() };
    const first = place(await makePod(pods));
    await trees.checkOut(first, of);
    assert.equal(await trees.commit(first, of, 'Nothing'), undefined);
    await shell(first, 'mkdir a; echo one > a/b; echo "#!/bin/sh" > run; chmod +x run');
    const commit = await trees.commit(first, of, 'One');
    assert.equal(commit?.branch, branchOf(of.taskId));

    const second = place(await makePod(pods));
    await trees.checkOut(second, of);
    const { stdout } = await shell(second, 'cat a/b; ls; test -x run && rm a/b && echo two > c');
    assert.equal(stdout, 'one\na\nrun\n');
    await trees.commit(second, of, 'Two');
    const names = execFileSync(
      'git',
      ['-C', join(directory, of.projectId, 'main.git'), 'ls-tree', '-r', branchOf(of.taskId)],
      { encoding: 'utf8' },
    );
    assert.deepEqual(
      names
        .trim()
        .split('\n')
        .map((line) => line.replace(/ .*\t/, ' ')),
      ['100644 c', '100755 run'],
    );
    assert.equal(show(directory, of.projectId, `${branchOf(of.taskId)}:c`), 'two\n');
    assert.deepEqual(await readdir(staging).catch(() => []), []);
  });

test('a copy is removed after a failure, and one that a killed worker left after a day', async (t) => {
  const { staging, trees } = await makeTrees(t);
  const pod = elsewhere(await makePod(await makePods(t)));
  let left = '';
  await assert.rejects(
    trees.within(pod, async (folder) => {
      left = folder;
      throw new Error('killed');
    }),
    /killed/,
  );
  assert.deepEqual(await readdir(staging), []);

  await mkdir(left);
  await trees.within(pod, async () => assert.equal((await readdir(staging)).length, 2));
  await utimes(left, 0, 0);
  await trees.within(pod, async () => assert.equal((await readdir(staging)).length, 1));
});

test('a stop ends the copy of a work tree, which is removed', async (t) => {
  const { staging, trees } = await makeTrees(t);
  const pod = elsewhere(await makePod(await makePods(t)));
  const stop = new AbortController();
  async function* pack(): AsyncGenerator<Uint8Array> {
    stop.abort(new Error('stopped'));
    await new Promise(() => {});
  }
  const slow = { ...pod, files: { ...pod.files, pack } };
  const of = { projectId: randomUUID(), taskId: randomUUID() };
  const commit = trees.commit(slow, of, 'Never', { signal: stop.signal });
  await assert.rejects(commit, /^Error: stopped$/);
  assert.deepEqual(await readdir(staging), []);
});

test('a stop ends what fills the pod of a command', async (t) => {
  const { directory, staging, trees } = await makeTrees(t);
  const pod = elsewhere(await makePod(await makePods(t)));
  const of = { projectId: randomUUID(), taskId: randomUUID() };
  await trees.checkOut(pod, of);
  await shell(pod, 'echo one > a; echo two > b');
  const { id = '' } = (await trees.commit(pod, of, 'Two files')) ?? {};
  const stop = new AbortController();
  let whole = false;
  const unpack = async (archive: AsyncIterable<Uint8Array>) => {
    for await (const _ of archive) stop.abort(new Error('stopped'));
    whole = true;
  };
  const slow = { ...pod, files: { ...pod.files, unpack } };
  const commit = { projectId: of.projectId, commit: id };
  await assert.rejects(fillPod(slow, directory, commit, stop.signal), /^Error: stopped$/);
  assert.equal(whole, false);
  assert.deepEqual(await readdir(staging), []);
});

for (const [title, place] of [
  ['on this machine', (pod: Pod) => pod],
  ['on another machine', elsewhere],
] as const)
  test(`a pod ${title}: what was pushed reaches it although bringing it there was interrupted`, async (t) => {
    const { directory, trees } = await makeTrees(t);
    const pod = place(await makePod(await makePods(t)));
    const of = { projectId: randomUUID(), taskId: randomUUID() };
    const branch = branchOf(of.taskId);
    const other = await mkdtemp(join(tmpdir(), 'guildhall-pushed-'));
    t.after(() => rm(other, { recursive: true }));
    const env = { ...process.env, GIT_INDEX_FILE: join(other, 'index') };
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', join(directory, of.projectId, 'main.git'), ...args], {
        encoding: 'utf8',
        env,
      }).trim();
    await trees.checkOut(pod, of);
    await shell(pod, 'echo one > a');
    await trees.commit(pod, of, 'One');
    const blob = git('rev-parse', `${branch}:a`);
    git('read-tree', branch);
    git('update-index', '--add', '--cacheinfo', `100644,${blob},pushed`);
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    const pushed = git(...who, 'commit-tree', git('write-tree'), '-p', branch, '-m', 'Pushed');
    git('update-ref', `refs/heads/${branch}`, pushed);
    await shell(pod, 'echo two > b');

    const fails = () => Promise.reject(new Error('cut'));
    const cut = { ...pod, files: { ...pod.files, unpack: fails, adopt: fails } };
    await assert.rejects(trees.refresh(cut, of), /^Error: cut$/);
    assert.match((await trees.refresh(pod, of)) ?? '', /has changed the branch/);
    const { stdout } = await shell(pod, 'cat a pushed b && echo three > a');
    assert.equal(stdout, 'one\none\ntwo\n');
    const { id } = (await trees.commit(pod, of, 'After it')) ?? {};
    assert.deepEqual(git('diff', '--name-only', pushed, id ?? '').split('\n'), ['a', 'b']);
  });

test('links in a branch lead nobody out of the next pod, and end', async (t) => {
  const { directory, trees } = await makeTrees(t);
  const outside = join(directory, 'of-the-machine');
  await mkdir(join(outside, 'folder'), { recursive: true });
  const pods = await makePods(t);
  const of = { projectId: randomUUID(), taskId: randomUUID() };
  const first = await makePod(pods);
  await trees.checkOut(first, of);
  await shell(first, `ln -s ${outside} out; ln -s . one; ln -s . two; ln -s ../../.. up; mkdir a`);
  await shell(first, 'ln -s ../a a/self; echo content > a/file');
  await trees.commit(first, of, 'Links');

  const second = await makePod(pods);
  const { mtimeMs, uid, ctimeMs } = await stat(join(outside, 'folder'));
  await trees.checkOut(second, of);
  const now = await stat(join(outside, 'folder'));
  assert.deepEqual([now.uid, now.mtimeMs, now.ctimeMs], [uid, mtimeMs, ctimeMs]);
  const { stdout } = await shell(second, 'cat a/file one/a/file && echo more >> a/file && ls -d *');
  assert.equal(stdout, 'content\ncontent\na\none\nout\ntwo\nup\n');

  await pods.destroy(second.id);
  await stat(join(outside, 'folder'));
});
