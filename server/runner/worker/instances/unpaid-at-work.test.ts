import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditUsage } from '../../../billing/audit/usage.ts';
import { sql } from '../../../db/sql.ts';
import { markOfInstance } from '../../../erp/instances/launch-program.ts';
import { processesOf } from '../../../platform/pods/process/descendants.ts';
import { limitsOf } from '../../../testing/fixtures/billing/spend-limits.ts';
import { today, usageOn } from '../../../testing/fixtures/billing/usage.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import { instancesAtWork, keepFor } from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances } from '../../../testing/fixtures/erp/instances.ts';
import { workersOn } from '../../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { countInstances } from './count-instances.ts';

/** Instances of a workspace that has reached a spend limit, with workers that keep them. */

const harness = await startHarness({ env: await fakeCatalog() });
const { db } = harness;
const at = instancesAtWork(harness);
const tasks = workersOn(harness);
const { use } = usageOn(harness);
const processes = (id: string) => processesOf(markOfInstance(id));

/** $0.36 an hour: 100,000 nano-USD a second. */
const PRICE = 360_000n;

test('one whose own time spends a limit ends, with an event; it starts again once that is raised', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { price: PRICE });
  tasks.worker(async () => ({ text: 'Done' }));
  const task = await at.task();
  const put = limitsOf(harness, task.workspace, task.owner);
  await put({ subject: 'project', subject_id: task.project, amount: '0.01' });
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  // More than the 100 s that the limit pays: time counts up to the last beat, which may be older.
  await db.many(sql`update erp_instance set counted_until = counted_until - interval '200 seconds'
                     where id = ${id}`);
  await countInstances(db, PRICE, 0);
  await at.untilIs(task, 'failed');
  const { body } = await at.call('GET', task);
  assert.equal(body.reason_code, 'spend_limit');
  assert.match(body.reason, /^The spend limit of this month for this project is reached\. Raise/);
  await until('nothing is left', async () => (await driver.list()).length === 0);
  assert.deepEqual(await processes(id), []);
  const told = async () => (await tasks.eventsOf(task.id)).filter(({ type }) => type === 'notice');
  await until('its events say so', async () => (await told()).length > 0);
  const [notice, ...more] = await told();
  assert.deepEqual([notice?.reason_code, notice?.odoo_instance_id, more], ['spend_limit', id, []]);
  const again = await at.call('POST', task);
  assert.deepEqual([again.status, again.body.code], [402, 'spend_limit']);
  await put({ subject: 'project', subject_id: task.project, amount: '5.00' });
  const next = await at.ask(task);
  assert.notEqual(next, id);
  await at.untilIs(task, 'running');
  assert.deepEqual(await db.transaction(auditUsage), []);
});

test('its last seconds are in the usage when it has ended', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { price: PRICE });
  const [stopped, limited] = [await at.task(), await at.task()];
  for (const task of [stopped, limited]) {
    const id = await at.ask(task);
    await at.untilIs(task, 'running');
    // Less than a minute, in which one that runs is not counted again.
    await db.many(sql`update erp_instance set counted_until = counted_until - interval '20 seconds'
                       where id = ${id}`);
  }
  await at.call('DELETE', stopped);
  const put = limitsOf(harness, limited.workspace, limited.owner);
  await put({ subject: 'task', subject_id: limited.id, amount: '0.10' });
  await use(limited.id, limited.owner, { nano: 100_000_000, day: today() });
  const used = async ({ id }: { id: string }) =>
    (
      await db.one<{ seconds: bigint }>(sql`
        select coalesce(sum(pod_seconds), 0)::bigint as seconds from usage_event
         where task_id = ${id} and kind = 'erp_instance'`)
    ).seconds;
  await at.untilIs(stopped, 'none');
  assert.ok((await used(stopped)) >= 20n);
  await until('its time is counted', async () => (await used(limited)) >= 20n);
});

test('one whose limit is reached while it starts never runs, and nothing of it is left', async (t) => {
  const driver = await makeInstances(t);
  const begun = Promise.withResolvers<void>();
  const { promise: removed, resolve: remove } = Promise.withResolvers<void>();
  const launched = Promise.withResolvers<void>();
  t.after(() => remove());
  keepFor(t, db, {
    ...driver,
    async start(spec) {
      begun.resolve();
      await removed;
      // As a start that had looked before its place was removed, and launches only now.
      await driver.create(spec);
      await driver.start(spec);
      await rm(join(driver.directory, spec.id), { recursive: true });
      launched.resolve();
    },
  });
  const task = await at.task();
  const put = limitsOf(harness, task.workspace, task.owner);
  await put({ subject: 'balance', amount: '0.10' });
  const id = await at.ask(task);
  await begun.promise;
  await use(task.id, task.owner, { nano: 100_000_000, day: today() });
  await at.untilIs(task, 'failed');
  await until('its place is removed', async () => {
    const { cleared } = await db.one<{ cleared: boolean }>(sql`
      select cleared_at is not null as cleared from erp_instance where id = ${id}`);
    return cleared;
  });
  remove();
  await launched.promise;
  await until('no process is left', async () => (await processes(id)).length === 0);
  assert.equal((await at.call('GET', task)).body.reason_code, 'spend_limit');
});
