import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { auditUsage } from '../../../billing/audit/usage.ts';
import { sql } from '../../../db/sql.ts';
import { makeInstances, specOf } from '../../../testing/fixtures/erp/instances.ts';
import { duringOn } from '../../../testing/harness/during.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { countInstances } from './count-instances.ts';
import { endUnused, keepUsed, orphanReaper } from './reap-instances.ts';

/** ERP instances that are no longer needed end, and no others. */

const harness = await startHarness({ own: true });
const { db, fixtures, unchanged } = harness;
const during = duringOn(harness);

async function instance(state = 'running') {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '5.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  return { id: await fixtures.erpInstance(task, state), task, project, workspace, owner };
}
const rowOf = (id: string) =>
  db.one<{ state: string; left: number }>(sql`
    select state, extract(epoch from expires_at - now())::float8 as left
      from erp_instance where id = ${id}`);
const stateOf = async ({ id }: { id: string }) => (await rowOf(id)).state;
const expire = ({ id }: { id: string }) =>
  db.many(sql`update erp_instance set expires_at = now() - interval '1 second' where id = ${id}`);

test('one that was not used for a while is to be removed; one whose task is at work is kept longer', async () => {
  const [unused, used, fresh] = [await instance(), await instance('starting'), await instance()];
  await fixtures.turn(used.task, { state: 'running', attempt: 1 });
  for (const each of [unused, used]) await expire(each);
  // Whatever comes first.
  await endUnused(db);
  await keepUsed(db, 3_600_000);
  await endUnused(db);
  assert.deepEqual(
    [await stateOf(unused), await stateOf(used), await stateOf(fresh)],
    ['stopping', 'starting', 'running'],
  );
  assert.ok((await rowOf(used.id)).left > 3_500);
  await unchanged(() => keepUsed(db, 3_600_000));
});

test('those of archived tasks go at once, of cancelled ones later', async () => {
  const [archived, cancelled, long] = [await instance(), await instance(), await instance()];
  await db.many(sql`update task set archived_at = now() where id = ${archived.task}`);
  for (const { task } of [cancelled, long]) await fixtures.taskStatus(task, 'cancelled');
  await db.many(sql`
    update task set updated_at = now() - interval '11 minutes' where id = ${long.task}`);
  await endUnused(db);
  assert.deepEqual(
    [await stateOf(archived), await stateOf(cancelled), await stateOf(long)],
    ['stopping', 'running', 'stopping'],
  );
});

test('the time in which one runs is counted once, whoever counts', async () => {
  const { id, task, owner, workspace, project } = await instance();
  await db.many(sql`
    update erp_instance set counted_until = now() - interval '100 seconds', renewed_at = now()
     where id = ${id}`);
  await Promise.all(Array.from({ length: 8 }, () => countInstances(db, 360_000n)));
  const lines = await db.many<{ amount: bigint; seconds: bigint }>(sql`
    select amount, pod_seconds as seconds from usage_event
     where task_id = ${task} and kind = 'erp_instance'`);
  const [line] = lines;
  const seconds = line?.seconds ?? 0n;
  assert.equal(lines.length, 1);
  assert.ok(seconds >= 100n && seconds < 130n, `${seconds}`);
  // $0.36 an hour are 100,000 nano-USD a second.
  assert.equal(line?.amount, seconds * 100_000n);
  const of = await db.one(sql`
    select user_id, organization_id, project_id from usage_day where task_id = ${task}`);
  assert.deepEqual(of, { user_id: owner.id, organization_id: workspace, project_id: project });
  assert.deepEqual(await db.transaction(auditUsage), []);
  // Two seconds more, until it is to be removed.
  await db.many(sql`
    update erp_instance set counted_until = now() - interval '2 seconds', renewed_at = now()
     where id = ${id}`);
  await db.many(sql`update erp_instance set state = 'stopping' where id = ${id}`);
  // Even if something changes it at this moment.
  const change = sql`update erp_instance set not_before = now() where id = ${id}`;
  await during(
    (tx) => tx.many(change),
    () => countInstances(db, 0n),
  );
  await unchanged(() => countInstances(db, 0n));
});

/** A worker that runs tests for an agent until it is killed. */
function startTests(directory: string, id: string) {
  const file = join(import.meta.dirname, '../../../erp/instances/command-driver.ts');
  const stays = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const programs = [{ version: '19.0', editions: ['community'], start: [], test: stays }];
  const options = { directory, programs, beatEvery: 20 };
  const script = `
    import { commandDriver } from ${JSON.stringify(file)};
    const { signal } = new AbortController();
    const driver = commandDriver(${JSON.stringify(options)});
    await driver.test(${JSON.stringify(specOf(id))}, { signal, onLog: () => {} });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
}

test('tests of an agent are removed by another worker once theirs was killed, and not before, wherever it is', async (t) => {
  const driver = await makeInstances(t);
  const id = randomUUID();
  // As from another container: processes of the other worker are not seen.
  const list = async () =>
    (await driver.list()).map((one) => ({ ...one, state: 'stopped' as const }));
  let time = 0;
  const place = { driver: { ...driver, list }, log: pino({ level: 'silent' }), now: () => time };
  const reap = orphanReaper(db, place, 60_000);
  const worker = startTests(driver.directory, id);
  t.after(() => worker.kill('SIGKILL'));
  const beat = async () => (await list()).find((one) => one.id === id)?.beat;
  let last: number | undefined;
  for (let minute = 0; minute < 5; minute += 1) {
    time += 60_000;
    await until('it gives a sign of life', async () => ![undefined, last].includes(await beat()));
    assert.equal(await reap(), 0);
    last = await beat();
  }
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  // Its last sign of life may be one that was not seen yet.
  assert.equal(await reap(), 0);
  time += 59_999;
  assert.equal(await reap(), 0);
  time += 1;
  assert.equal(await reap(), 1);
  assert.deepEqual(await list(), []);
});
