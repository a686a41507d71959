import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { checksOn } from '../../../testing/fixtures/code/checks.ts';
import { killedChecks } from '../../../testing/fixtures/code/killed-checks.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

/**
 * A suite of checks ends with the same outcome although its worker is killed with SIGKILL: before
 * each statement and each call of the pods. Another worker goes on, checks that have ended are not
 * run again, and no pod is left.
 */

const harness = await startHarness({ own: true });
const { db } = harness;
const checks = await checksOn(harness);
const { checked, runs, suite, untilEnded } = checks;
const killed = await killedChecks(harness, checks);

/** A task whose checks leave a mark each time that they run, and a folder for its pods. */
async function checkedTask() {
  const [folder, marks] = [await killed.folder(), await killed.folder()];
  const mark = (name: string) => `mktemp ${marks}/${name}-XXXXXX >/dev/null`;
  const { taskId } = await checked({ a: mark('a'), b: `${mark('b')}; exit 1` });
  const ranOf = (name: string) =>
    readdirSync(marks).filter((file) => file.startsWith(`${name}-`)).length;
  return { taskId, folder, ranOf };
}

type Task = Awaited<ReturnType<typeof checkedTask>>;

/** Runs the worker that dies before this step; without one, until the end of the suite. */
async function runDying({ taskId, folder }: Task, dieAt?: number): Promise<void> {
  const { child, exited } = await killed.start(folder, dieAt);
  if (dieAt === undefined) {
    await untilEnded(taskId);
    child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
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
      await killed.goOn(task.taskId, task.folder);
      await check(task);
    });

test('after three workers that were killed, the checks have failed and say why', async () => {
  const task = await checkedTask();
  const create = steps.findIndex(({ name }) => name === 'pods.attach') + 1;
  for (let attempt = 1; attempt <= 3; attempt++) {
    // A worker that takes over has other steps before: it dies at its first pod, or soon after.
    await runDying(task, create);
    await db.many(sql`
      update check_suite set held_until = now() - interval '1 second'
       where task_id = ${task.taskId} and state = 'running'`);
  }
  await killed.goOn(task.taskId, task.folder);
  assert.equal((await suite(task.taskId))?.conclusion, 'failed');
  const failed = (await runs(task.taskId)).filter(({ log }) => /failed 3 times/.test(log ?? ''));
  assert.ok(failed.length > 0);
  for (const { conclusion } of failed) assert.equal(conclusion, 'failure');
});
