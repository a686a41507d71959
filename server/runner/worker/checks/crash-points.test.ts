import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openPods } from '../../../platform/pods/open-pods.ts';
import { checksOn } from '../../../testing/fixtures/code/checks.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { untilGone } from '../../../testing/processes/processes.ts';
import { dyingWorkers } from '../../../testing/processes/start-program.ts';

/**
 * A suite of checks ends with the same outcome although its worker is killed with SIGKILL: before
 * each statement and each call of the pods. Another worker goes on, checks that have ended are not
 * run again, and no pod is left.
 */

const harness = await startHarness({ own: true });
const { db, databaseUrl, repositories } = harness;
const { checked, runs, suite, untilEnded, worker } = await checksOn(harness);
const parent = await mkdtemp(join(tmpdir(), 'guildhall-crash-'));
await chmod(parent, 0o755);
after(() => rm(parent, { recursive: true, force: true }));

/** A task whose checks leave a mark each time that they run, and a folder for its pods. */
async function checkedTask() {
  const folder = join(parent, crypto.randomUUID());
  const marks = join(parent, `${crypto.randomUUID()}-marks`);
  for (const made of [folder, marks]) await mkdir(made);
  await chmod(marks, 0o777);
  const mark = (name: string) => `mktemp ${marks}/${name}-XXXXXX >/dev/null`;
  const { taskId } = await checked({ a: mark('a'), b: `${mark('b')}; exit 1` });
  const ranOf = (name: string) =>
    readdirSync(marks).filter((file) => file.startsWith(`${name}-`)).length;
  return { taskId, folder, ranOf };
}

type Task = Awaited<ReturnType<typeof checkedTask>>;

const dying = dyingWorkers('dying-check-worker.ts', databaseUrl);
after(dying.kill);

/** Runs the worker that dies before this step; without one, until the end of the suite. */
async function runDying({ taskId, folder }: Task, dieAt?: number): Promise<void> {
  const { child, exited } = await dying.order({ folder, repositories, dieAt });
  if (dieAt === undefined) {
    await untilEnded(taskId);
    child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
}

/**
 * Ends the lease of a worker that was killed, which lasts an hour, and no other. More than once: the
 * database may still have carried out what that worker had sent, such as one more claim.
 */
const endLease = (taskId: string) =>
  db.many(sql`
    update check_suite set held_until = now()
     where task_id = ${taskId} and state = 'running' and held_until > now() + interval '1 minute'`);

/** Another worker, once the lease of the one that was killed has ended. */
async function goOn({ taskId, folder }: Pick<Task, 'taskId' | 'folder'>) {
  const pods = await openPods({ driver: 'process', directory: folder, sandbox: 'off' });
  const running = worker(pods);
  await until(
    'its checks have ended',
    async () => {
      await endLease(taskId);
      return (await suite(taskId))?.state === 'completed';
    },
    60_000,
  );
  await running.close();
  assert.deepEqual(await pods.list(), [], 'no pod is left');
  await pods.close();
}

async function check({ taskId, ranOf }: Task): Promise<void> {
  const { conclusion, attempts } = (await suite(taskId)) ?? assert.fail();
  assert.equal(conclusion, 'failed');
  assert.deepEqual(
    (await runs(taskId)).map(({ name, conclusion, log }) => [name, conclusion, log]),
    [
      ['a', 'success', 'It ended with code 0.\n'],
      ['b', 'failure', 'It ended with code 1.\n'],
    ],
  );
  const [a, b] = [ranOf('a'), ranOf('b')];
  assert.ok(a >= 1 && b >= 1 && a + b <= attempts + 1, `${a} and ${b} in ${attempts} attempts`);
}

const whole = await checkedTask();
await runDying(whole);
const steps = readFileSync(join(whole.folder, 'steps'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { name: string; same: boolean });

test('a worker that lives runs each check once', async () => {
  await check(whole);
  assert.deepEqual([whole.ranOf('a'), whole.ranOf('b')], [1, 1]);
  for (const step of ['pods.create', 'pods.attach', 'pods.destroy'])
    assert.equal(steps.filter(({ name }) => name === step).length, 2, step);
});

// Of the steps that both checks take, those of the second one: the first one has ended then.
const last = (name: string) => steps.findLastIndex((step) => step.name === name);
for (const [index, { name, same }] of steps.entries())
  if (!same && index === last(name))
    test(`killed before step ${index + 1}, ${name.slice(0, 60)}: the suite ends all the same`, async () => {
      const task = await checkedTask();
      await runDying(task, index + 1);
      await goOn(task);
      await check(task);
    });

test('killed while a command runs: its processes are gone, and it is run again', async () => {
  const folder = join(parent, crypto.randomUUID());
  await mkdir(folder);
  const seen = join(parent, `${crypto.randomUUID()}-seen`);
  await mkdir(seen);
  await chmod(seen, 0o777);
  const once = `if mkdir ${seen}/first; then echo $$ > ${seen}/pid; exec sleep 300; fi`;
  const { taskId } = await checked({ a: once });
  const { child, exited } = await dying.order({ folder, repositories });
  const pid = () => readFileSync(join(seen, 'pid'), 'utf8').trim();
  await until('it runs', () => existsSync(join(seen, 'pid')) && pid() !== '', 60_000);
  child.kill('SIGKILL');
  await exited;
  await goOn({ taskId, folder });
  await untilGone(Number(pid()));
  const { conclusion, attempts } = (await suite(taskId)) ?? assert.fail();
  assert.deepEqual([conclusion, attempts], ['passed', 2]);
});

test('after three workers that were killed, the checks have failed and say why', async () => {
  const task = await checkedTask();
  const create = steps.findIndex(({ name }) => name === 'pods.attach') + 1;
  for (let killed = 0; killed < 3; killed++) {
    // A worker that takes over has other steps before: it dies at its first pod, or soon after.
    await runDying(task, create);
    await db.many(sql`
      update check_suite set held_until = now() - interval '1 second'
       where task_id = ${task.taskId} and state = 'running'`);
  }
  await goOn(task);
  assert.equal((await suite(task.taskId))?.conclusion, 'failed');
  const failed = (await runs(task.taskId)).filter(({ log }) => /failed 3 times/.test(log ?? ''));
  assert.ok(failed.length > 0);
  for (const { conclusion } of failed) assert.equal(conclusion, 'failure');
});
