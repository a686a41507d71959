import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../../db/sql.ts';
import { limitsOf } from '../../../testing/fixtures/billing/spend-limits.ts';
import { today, usageOn } from '../../../testing/fixtures/billing/usage.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import {
  checkRunning,
  instancesAtWork,
  keepFor,
  processesOfInstance,
  startDyingKeeper,
} from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances, type TestInstances } from '../../../testing/fixtures/erp/instances.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';

/**
 * A worker that keeps ERP instances is killed with SIGKILL at each of its steps. Another one goes
 * on: there is one instance or none, as people asked, no process is left, and its time is counted
 * once.
 */

const harness = await startHarness({ env: await fakeCatalog() });
const { db, databaseUrl } = harness;
const at = instancesAtWork(harness);
const { use } = usageOn(harness);

async function checkGone(driver: TestInstances, id: string) {
  assert.deepEqual([await driver.list(), await processesOfInstance(id)], [[], []]);
  assert.deepEqual(await readdir(join(driver.directory, 'ports')).catch(() => []), []);
}

const OPTIONS = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };

for (const step of ['create', 'start', 'url', "set state = 'running'"])
  test(`killed before ${step}: another worker starts it, once`, OPTIONS, async (t) => {
    const driver = await makeInstances(t);
    const task = await at.task();
    const id = await at.ask(task);
    const { exited } = await startDyingKeeper(t, databaseUrl, driver.directory, step);
    await exited;
    await until(
      'none of its processes is left',
      async () => (await processesOfInstance(id)).length === 0,
    );
    keepFor(t, db, driver);
    await at.untilIs(task, 'running');
    await checkRunning(db, driver, { taskId: task.id, id });
    await at.call('DELETE', task);
    await at.untilIs(task, 'none');
    await checkGone(driver, id);
  });

for (const step of ['destroy', "set state = 'ended'"])
  test(`killed before ${step}: another worker removes it`, OPTIONS, async (t) => {
    const driver = await makeInstances(t);
    const task = await at.task();
    const id = await at.ask(task);
    const { exited } = await startDyingKeeper(t, databaseUrl, driver.directory, step);
    await at.untilIs(task, 'running');
    await at.call('DELETE', task);
    await exited;
    keepFor(t, db, driver);
    await at.untilIs(task, 'none');
    await checkGone(driver, id);
  });

for (const step of [undefined, 'destroy'])
  test(
    `killed ${step ? 'before destroy ' : ''}when a spend limit is reached: another worker ends it, once`,
    OPTIONS,
    async (t) => {
      const driver = await makeInstances(t);
      const task = await at.task();
      const id = await at.ask(task);
      const { child, exited } = await startDyingKeeper(t, databaseUrl, driver.directory, step);
      await at.untilIs(task, 'running');
      const put = limitsOf(harness, task.workspace, task.owner);
      await put({ subject: 'balance', amount: '0.10' });
      if (step === undefined) child.kill('SIGKILL');
      await use(task.id, task.owner, { nano: 100_000_000, day: today() });
      await exited;
      keepFor(t, db, driver);
      await at.untilIs(task, 'failed');
      // What a worker has begun to remove, others leave for two minutes.
      await db.many(sql`update erp_instance set not_before = now() where id = ${id}`);
      await until('nothing is left', async () => (await driver.list()).length === 0);
      await checkGone(driver, id);
      assert.equal((await at.call('GET', task)).body.reason_code, 'spend_limit');
      const told = await db.many(sql`
      select payload->>'reason_code' as code from task_event_outbox
       where task_id = ${task.id} and type <> 'odoo_instance'`);
      assert.deepEqual(told, [{ code: 'spend_limit' }]);
    },
  );

test(
  'a worker that sleeps too long gives up what another has taken, and harms nothing of it',
  OPTIONS,
  async (t) => {
    const driver = await makeInstances(t);
    const task = await at.task();
    const id = await at.ask(task);
    const { child } = await startDyingKeeper(t, databaseUrl, driver.directory);
    await at.untilIs(task, 'running');
    const sleeping = (await at.row(id))?.owner;
    child.kill('SIGSTOP');
    keepFor(t, db, driver);
    let owner = sleeping;
    await until('another has it', async () => {
      owner = (await at.row(id))?.owner;
      return typeof owner === 'string' && owner !== sleeping;
    });
    await at.untilIs(task, 'running');
    child.kill('SIGCONT');
    await pause(1_000);
    await checkRunning(db, driver, { taskId: task.id, id });
    assert.equal((await at.row(id))?.owner, owner);
  },
);
