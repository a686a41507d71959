import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../../../db/sql.ts';
import { deploying, deploysOn, waiting } from '../../../testing/fixtures/code/deploys.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { isAlive, untilGone } from '../../../testing/processes/processes.ts';
import { startProgram } from '../../../testing/processes/start-program.ts';
import { orphanReaper } from '../reap-pods.ts';
import { openRepositories } from '../repository.ts';
import { workTrees } from '../work-tree.ts';

/** Deploys whose worker is killed or stopped, in processes of their own. */

const harness = await startHarness({ own: true });
const { db } = harness;
const at = await deploysOn(harness);
const { pods } = at;

async function startProcess(): Promise<ChildProcess> {
  const child = startProgram('deploy-process.ts', [], {
    DATABASE_URL: harness.databaseUrl,
    FOLDER: pods.directory,
    REPOSITORIES: harness.repositories,
  });
  after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

const holder = async (deploy: string) =>
  (await db.one<{ by: string }>(sql`select held_by as by from deploy where id = ${deploy}`)).by;

/** Ends the lease of a worker that was killed or stopped, as half a minute would. */
const endLease = (deploy: string, by: string) =>
  db.many(sql`update deploy set held_until = now() where id = ${deploy} and held_by = ${by}`);

async function kill(worker: ChildProcess, deploy: string): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await endLease(deploy, await holder(deploy));
}

const begun = (wait: Awaited<ReturnType<typeof waiting>>, times: number) =>
  until(`it was begun ${times} times`, async () => (await wait.begun()).length === times, 60_000);

test('kill -9: another worker ends what was left, begins anew, and the deploy succeeds once', async () => {
  const wait = await waiting();
  const { deploy } = await at.merged(deploying(wait.command));
  const killed = await startProcess();
  await begun(wait, 1);
  await kill(killed, deploy);
  const worker = at.worker();
  worker.start();
  await begun(wait, 2);
  const [first] = await wait.begun();
  await untilGone(Number(first));
  await wait.go();
  await at.until(deploy, 'success');
  await worker.close();
  assert.equal((await wait.ended()).length, 1);
  assert.deepEqual(await pods.list(), []);
});

test('the reaper of pods leaves a deploy at work alone, and ends what is left of one', async () => {
  const wait = await waiting();
  const { deploy } = await at.merged(deploying(wait.command));
  const worker = at.worker();
  worker.start();
  await begun(wait, 1);
  const trees = workTrees(openRepositories(harness.repositories));
  const place = { driver: pods, trees, log: pino({ level: 'silent' }) };
  const left = randomUUID();
  await pods.create(left);
  const reap = orphanReaper(db, place, 0);
  await reap();
  assert.equal(await reap(), 1);
  assert.equal((await pods.find(left)).state, 'absent');
  await wait.go();
  await at.until(deploy, 'success');
  await worker.close();
  assert.equal((await wait.ended()).length, 1);
});

test('after three lost workers it fails, and nothing of it runs', async () => {
  const wait = await waiting();
  const { deploy, projectId } = await at.merged(deploying(wait.command));
  for (let attempt = 1; attempt <= 3; attempt++) {
    const killed = await startProcess();
    await begun(wait, attempt);
    await kill(killed, deploy);
  }
  const next = await at.merged({ 'b.txt': '1\n' }, projectId);
  const worker = at.worker();
  worker.start();
  await at.until(deploy, 'failed');
  assert.match((await at.get(deploy)).reason ?? '', /^It was begun 3 times/);
  await begun(wait, 4);
  for (const pid of (await wait.begun()).slice(0, 3))
    assert.equal(await isAlive(Number(pid)), false);
  await wait.go();
  await at.until(next.deploy, 'success');
  await worker.close();
});

test('SIGSTOP: the worker that comes back writes nothing, and ends only what is its own', async () => {
  const wait = await waiting();
  const { deploy } = await at.merged(deploying(wait.command));
  const stopped = await startProcess();
  await begun(wait, 1);
  stopped.kill('SIGSTOP');
  await endLease(deploy, await holder(deploy));
  const worker = at.worker();
  worker.start();
  await begun(wait, 2);
  const by = await holder(deploy);
  stopped.kill('SIGCONT');
  // It finds out that the deploy is no longer its own before it takes another one.
  const other = await at.merged(deploying('true'));
  await at.until(other.deploy, 'success');
  assert.equal(await holder(deploy), by);
  const [, second] = await wait.begun();
  assert.equal(await isAlive(Number(second)), true);
  await wait.go();
  await at.until(deploy, 'success');
  stopped.kill('SIGKILL');
  await worker.close();
  assert.equal((await wait.ended()).length, 1);
});

test('a worker that ends leaves its deploy to others at once, and that is no lost attempt', async () => {
  const wait = await waiting();
  const { deploy } = await at.merged(deploying(wait.command));
  for (let i = 1; i <= 4; i++) {
    const worker = at.worker();
    worker.start();
    await begun(wait, i);
    await worker.close();
    assert.equal((await at.get(deploy)).state, 'running');
  }
  await wait.go();
  const last = at.worker();
  last.start();
  await at.until(deploy, 'success');
  await last.close();
  assert.equal((await wait.ended()).length, 1);
});
