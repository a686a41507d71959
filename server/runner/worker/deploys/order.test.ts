import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { deploying, deploysOn, waiting } from '../../../testing/fixtures/code/deploys.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';

/** Of a branch, one is deployed at a time, and never an older commit after a newer one. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const at = await deploysOn(harness);
const stateOf = async (id: string) => (await at.get(id)).state;

/** The build file is that of the first task, which has merged it; the next ones add a file. */
async function mergedInOrder(command: string, count: number) {
  const first = await at.merged(deploying(command));
  const tasks = [first];
  for (let i = 1; i < count; i++)
    tasks.push(await at.merged({ [`${i}.txt`]: '1\n' }, first.projectId));
  return tasks.map(({ deploy }) => deploy) as [string, string, ...string[]];
}

test('the newest that waits supersedes the older ones, and they are never begun', async () => {
  const [one, two, three = ''] = await mergedInOrder('true', 3);
  const worker = at.worker();
  worker.start();
  await at.until(three, 'success');
  await worker.close();
  for (const id of [one, two]) {
    const { state, reason, started_at } = await at.get(id);
    assert.deepEqual(
      [state, reason, started_at],
      ['superseded', 'A newer commit of the branch is deployed instead.', undefined],
    );
  }
});

test('a newer one waits until the one that runs has ended, whoever looks', async () => {
  const wait = await waiting();
  const first = await at.merged(deploying(wait.command));
  const workers = [at.worker(), at.worker(), at.worker()];
  for (const worker of workers) worker.start();
  await until('it runs', async () => (await wait.begun()).length === 1, 60_000);
  const next = await at.merged({ 'b.txt': '1\n' }, first.projectId);
  const last = await at.merged({ 'c.txt': '1\n' }, first.projectId);
  await at.until(next.deploy, 'superseded', 'queued');
  for (const worker of workers) await worker.poll();
  assert.deepEqual(
    [await stateOf(first.deploy), await stateOf(last.deploy)],
    ['running', 'queued'],
  );
  await wait.go();
  await at.until(last.deploy, 'success');
  for (const worker of workers) await worker.close();
  assert.equal(await stateOf(first.deploy), 'success');
  assert.equal(await stateOf(next.deploy), 'superseded');
  assert.deepEqual([(await wait.begun()).length, (await wait.ended()).length], [2, 2]);
});

test('an older commit whose deploy is written late is not deployed any more', async () => {
  const [one, two] = await mergedInOrder('true', 2);
  await db.many(sql`update deploy set created_at = now() + interval '1 minute' where id = ${one}`);
  const worker = at.worker();
  worker.start();
  await at.until(two, 'success');
  await at.until(one, 'superseded');
  await worker.close();
  // Also when the newer one has ended already.
  const [three, four] = await mergedInOrder('true', 2);
  await db.many(sql`
    update deploy set state = 'failed', started_at = now(), ended_at = now() where id = ${four}`);
  const next = at.worker();
  next.start();
  await at.until(three, 'superseded');
  await next.close();
});

test('race: many workers and many merges, and at no time do two run of one branch', async () => {
  const wait = await waiting();
  await wait.go();
  const { projectId } = await at.merged(deploying(wait.command));
  const workers = Array.from({ length: 6 }, () => at.worker({ poll: 20 }));
  for (const worker of workers) worker.start();
  const ids: string[] = [];
  for (let i = 0; i < 8; i++)
    ids.push((await at.merged({ [`${i}.txt`]: '1\n' }, projectId)).deploy);
  await at.until(ids.at(-1) ?? '', 'success');
  for (const worker of workers) await worker.close();
  const rows = await db.many<{ state: string; begun: Date; ended: Date }>(sql`
    select state, started_at as begun, ended_at as ended from deploy
     where project_id = ${projectId} and started_at is not null order by height`);
  for (const [i, { state, begun }] of rows.entries()) {
    assert.equal(state, 'success');
    assert.ok(begun >= (rows[i - 1]?.ended ?? begun), 'one after the other');
  }
  assert.equal((await wait.begun()).length, rows.length);
});

test('branches are deployed beside each other', async () => {
  const wait = await waiting();
  const both = JSON.stringify(wait.command);
  const file = `deploy:\n  production: ${both}\n  staging: ${both}\n`;
  const first = await at.merged({ '.guildhall.yml': file });
  await fixtures.mergeTarget(first.projectId, 'staging');
  const second = await at.offered({ 'b.txt': '1\n' }, first.projectId);
  await at.retarget(second.taskId, 'staging');
  await at.ask(second);
  await at.work();
  const worker = at.worker();
  worker.start();
  await until('both run', async () => (await wait.begun()).length === 2, 60_000);
  await wait.go();
  await until('both end', async () => (await wait.ended()).length === 2, 60_000);
  await at.until(first.deploy, 'success');
  await worker.close();
});
