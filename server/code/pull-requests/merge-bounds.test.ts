import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { STARTED } from '../../platform/launcher/launcher.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { refOf } from '../repositories/git.ts';
import { openMerging } from '../repositories/merging.ts';

/** Tasks that fit each, and not together. */

const harness = await startHarness();
const { offered, ask, work, get, gitIn } = await mergesOn(harness);
const asker = { userId: 'someone', signal: new AbortController().signal };

test('a merge after which the branch would hold too many files, or bytes, fails and changes nothing', async () => {
  for (const bounds of [
    { maxEntries: 2, maxBytes: 1_000 },
    { maxEntries: 1_000, maxBytes: 8 },
  ]) {
    const merging = openMerging(harness.repositories, bounds);
    const one = await offered({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const other = await offered({ 'c.txt': 'three\n' }, one.projectId);
    const compared = () => merging.compare({ ...other, base: 'main' }, asker);
    assert.deepEqual((await compared())?.tried, { mergeable: true, conflicts: [] });
    await ask(one);
    await work(merging);
    assert.equal((await get(one.taskId)).state, 'merged');
    const { reason, ...tried } = (await compared())?.tried ?? {};
    assert.deepEqual(tried, { mergeable: false, conflicts: [] });
    assert.match(String(reason), /^With this task, main would hold more than .*: delete what is/);

    const main = gitIn(one.projectId, 'rev-parse', 'main');
    await ask(other);
    await work(merging);
    const { state, failure } = await get(other.taskId);
    assert.deepEqual([state, failure.code], ['failed', 'too_many_files']);
    assert.match(failure.message, /^With this task, main would hold more than .*: delete what is/);
    assert.equal(gitIn(one.projectId, 'rev-parse', 'main'), main);
    assert.equal((await get(other.taskId, 'pull-request')).state, 'open');
  }
});

test('a branch that holds too much already can be made smaller', async () => {
  const first = await offered({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
  await ask(first);
  await work();
  const next = await offered({ 'a.txt': '', 'b.txt': '' }, first.projectId);
  await ask(next);
  await work(openMerging(harness.repositories, { maxEntries: 1_000, maxBytes: 4 }));
  assert.equal((await get(next.taskId)).state, 'merged');
});

test('whether it can be merged is tried again once one of both branches has moved, and not before', async () => {
  const merging = openMerging(harness.repositories);
  const one = await offered({ 'a.txt': 'one\n' });
  const other = await offered({ 'a.txt': 'two\n' }, one.projectId);
  const tried: string[] = [];
  const count = (program: unknown) => {
    const { args } = program as { args: string[] };
    tried.push(...args.filter((arg) => arg === 'merge-tree' || arg === 'ls-tree'));
  };
  subscribe(STARTED, count);
  const mergeable = async () => {
    tried.length = 0;
    return (await merging.compare({ ...other, base: 'main' }, asker))?.tried?.mergeable;
  };
  assert.equal(await mergeable(), true);
  assert.deepEqual(tried, ['merge-tree', 'ls-tree']);
  assert.equal(await mergeable(), true);
  assert.deepEqual(tried, []);
  await ask(one);
  await work(merging);
  assert.equal(await mergeable(), false);
  assert.deepEqual(tried, ['merge-tree']);
  gitIn(one.projectId, 'update-ref', refOf(other.taskId), 'main');
  assert.equal(await mergeable(), true);
  assert.deepEqual(tried, ['merge-tree', 'ls-tree']);
  unsubscribe(STARTED, count);
});
