import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { auditUsage } from '../../../billing/audit/usage.ts';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/instances/instance-driver.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import {
  instancesAtWork,
  keepFor,
  startDyingKeeper,
} from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances } from '../../../testing/fixtures/erp/instances.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { countInstances } from './count-instances.ts';

/**
 * No worker is there for a while, because the server is down. An instance ends with its worker, and
 * costs nothing meanwhile.
 */

const harness = await startHarness({ env: await fakeCatalog() });
const { db, databaseUrl, fixtures } = harness;
const at = instancesAtWork(harness);

/** $0.36 an hour: 100,000 nano-USD a second. */
const PRICE = 360_000n;
const UP_MS = 2_000;
const DOWN_MS = 8_000;

const used = async (task: string) => {
  const { seconds, amount } = await db.one<{ seconds: bigint; amount: bigint }>(sql`
    select coalesce(sum(pod_seconds), 0)::bigint as seconds, sum(amount)::bigint as amount
      from usage_event where task_id = ${task} and kind = 'erp_instance'`);
  assert.equal(amount, seconds * 100_000n);
  assert.deepEqual(await db.transaction(auditUsage), []);
  return Number(seconds);
};

/** Keeps an instance, ends that with `end`, and keeps it again later. Returns seconds. */
async function twice(
  t: TestContext,
  driver: InstanceDriver,
  first: () => Promise<{ end(): Promise<unknown> }>,
  whileDown: (task: Parameters<typeof at.status>[0]) => Promise<unknown>,
) {
  const task = await at.task();
  const { end } = await first();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  const began = performance.now();
  await pause(UP_MS);
  await end();
  const ended = performance.now();
  await pause(DOWN_MS);
  await whileDown(task);
  const before = (await at.row(id))?.owner ?? null;
  keepFor(t, db, driver, { price: PRICE });
  const taken = async () => ![null, before].includes((await at.row(id))?.owner ?? null);
  await until('another worker has taken it', taken);
  await at.untilIs(task, 'running');
  const beganAgain = performance.now();
  await pause(UP_MS);
  await at.call('DELETE', task);
  const up = ended - began + performance.now() - beganAgain;
  await at.untilIs(task, 'none');
  return { seconds: await used(task.id), up: up / 1_000 };
}

test('SIGTERM: what ends with its worker is not counted until it is ready again', async (t) => {
  const driver = await makeInstances(t);
  const { seconds, up } = await twice(
    t,
    driver,
    async () => {
      const keeper = keepFor(t, db, driver, { price: PRICE });
      return { end: () => keeper.close() };
    },
    async (task) => assert.equal(await at.status(task), 'starting'),
  );
  assert.ok(seconds > up - 1.5 && seconds < up + 2, `${seconds} of ${up}`);
});

test('SIGKILL: it is counted until its worker last renewed its lease, whoever counts', async (t) => {
  const driver = await makeInstances(t);
  const { seconds, up } = await twice(
    t,
    driver,
    async () => {
      const { child, exited } = await startDyingKeeper(t, databaseUrl, driver.directory);
      return {
        async end() {
          child.kill('SIGKILL');
          await exited;
        },
      };
    },
    () => countInstances(db, PRICE, 0),
  );
  assert.ok(seconds > up - 1.5 && seconds < up + 2, `${seconds} of ${up}`);
});

test('whatever ends it after its lease counts no more', async () => {
  const seconds = async (state: string) => {
    const { task, id } = await instance();
    await db.many(sql`
      update erp_instance set owner = 'gone', lease_until = now() - interval '75 seconds'
       where id = ${id}`);
    await db.many(sql`
      update erp_instance set counted_until = now() - interval '110 seconds',
             renewed_at = case when renewed_at is not null then now() - interval '105 seconds' end
       where id = ${id}`);
    await db.many(sql`
      update erp_instance
         set state = ${state}, reason = case when ${state} = 'failed' then 'It failed.' end,
             owner = null, lease_until = null
       where id = ${id}`);
    await countInstances(db, PRICE, 0);
    return used(task);
  };
  for (const state of ['starting', 'stopping', 'failed']) assert.equal(await seconds(state), 5);
});

async function instance() {
  const task = await at.task();
  return { task: task.id, id: await fixtures.erpInstance(task.id, 'running') };
}
