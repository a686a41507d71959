import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
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
