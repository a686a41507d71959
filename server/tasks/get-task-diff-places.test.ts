import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRepositories } from '../runner/worker/repository.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

const folder = await temporaryFolder();
const { fixtures, url } = await startHarness({ env: { DATA_DIR: folder } });
const repositories = openRepositories(join(folder, 'repositories'));

/** A task with one commit of one file. */
async function built(owner: User) {
  const projectId = await fixtures.project({ userId: owner.id });
  const taskId = await fixtures.task(projectId, owner);
  const place = { projectId, taskId, workTree: join(folder, taskId) };
  await mkdir(place.workTree);
  await repositories.checkOut(place);
  await writeFile(join(place.workTree, 'file'), `${taskId}\n`);
  const { id: head } = (await repositories.commit(place, 'Work')) as { id: string };
  const gitDir = join(folder, 'repositories', projectId, 'main.git');
  return { taskId, head, gitDir };
}

/** The same, of which git reads for ever: its file is a pipe that nothing is written to. */
async function endless(owner: User) {
  const task = await built(owner);
  const args = ['-C', task.gitDir, 'rev-parse', `${task.head}:file`];
  const blob = execFileSync('git', args, { encoding: 'utf8' }).trim();
  const path = join(task.gitDir, 'objects', blob.slice(0, 2), blob.slice(2));
  await rm(path);
  execFileSync('mkfifo', [path]);
  return task;
}

async function patchOf(task: { taskId: string }, { key }: User, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/tasks/${task.taskId}/diff?format=patch`, {
    headers,
    signal,
  });
  return { status: answer.status, text: await answer.text() };
}

/** How many git processes compare the last commit of this task. */
const running = ({ head }: { head: string }): number =>
  execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((args) => args.startsWith('git') && args.includes(head)).length;

test('503: a person has few places, does not delay others, and gives them back when gone', async () => {
  const [greedy, other] = [await fixtures.user(), await fixtures.user()];
  // Four of the five get a place, of which one runs.
  const [slow, quick] = [await endless(greedy), await built(other)];
  const leaving = new AbortController();
  const asked = Array.from({ length: 5 }, () => patchOf(slow, greedy, leaving.signal));
  const left = Promise.allSettled(asked);
  await until('one runs', () => running(slow) === 1);

  const { status, text } = await patchOf(quick, other, AbortSignal.timeout(10_000));
  assert.deepEqual([status, text.includes(`+${quick.taskId}`)], [200, true]);
  const refused = await Promise.race(asked);
  assert.equal(refused.status, 503);
  assert.equal(JSON.parse(refused.text).code, 'diffs_busy');
  assert.equal(running(slow), 1);

  leaving.abort();
  assert.equal((await left).filter((each) => each.status === 'rejected').length, 4);
  await until('git has ended', () => running(slow) === 0);
  await until('a place is free', async () => {
    const { status } = await patchOf(await built(greedy), greedy, AbortSignal.timeout(10_000));
    return status === 200;
  });
  assert.equal(running(slow), 0);
});
