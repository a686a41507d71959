import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/instances/instance-driver.ts';
import { instancesAtWork, keepFor } from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances, type TestInstances } from '../../../testing/fixtures/erp/instances.ts';
import { dumpOf } from '../../../testing/fixtures/erp/zips.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { startProgram } from '../../../testing/processes/start-program.ts';
import { databaseOfDump, takeDump } from './dump-rows.ts';
import { dumpPreparer } from './prepare-dumps.ts';

/** Dumps are prepared by a program that does what a word in them says. For Odoo: real-odoo.test.ts. */

const harness = await startHarness({ own: true });
const { db, request, unchanged, files, databaseUrl, owner: asOwner } = harness;
const at = instancesAtWork(harness);
type Task = Awaited<ReturnType<typeof at.task>>;
// A worker takes every dump that has none.
beforeEach(async () => {
  await asOwner(sql`delete from odoo_dump`);
});

const READS = `const fs = require('fs'), { env } = process;
  const file = env.GUILDHALL_INSTANCE_ORDER;
  const { dump } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file)) : {};
  const report = (said) => fs.writeFileSync(env.GUILDHALL_INSTANCE_REPORT, JSON.stringify(said));`;
const PREPARE = `${READS}
  const zip = fs.readFileSync(dump.file, 'latin1');
  if (zip.includes('crash')) process.exit(1);
  else if (zip.includes('unusable')) {
    report({ problem: 'It is no database of Odoo.', seconds: 1 });
    process.exit(1);
  } else if (zip.includes('slow') && !fs.existsSync('go')) setInterval(() => {}, 1_000);
  else report({ seconds: 1 });`;
const FAKE = pathToFileURL(
  join(import.meta.dirname, '../../../testing/fakes/fake-odoo/instance.ts'),
).href;
const START = `${READS}
  if (fs.existsSync('../../missing')) {
    report({ missing: 'dump', seconds: 1 });
    process.exit(1);
  }
  report({ data: dump ? 'dump' : 'empty', seconds: 1 });
  import('${FAKE}');`;
const script = (text: string) => [process.execPath, '-e', text];
const PROGRAM = {
  version: '18.0',
  editions: ['community' as const],
  start: script(START),
  prepare: script(PREPARE),
};
const TIMES = { poll: 50, beat: 100, again: 50 };

const drivers = (t: TestContext) => makeInstances(t, { programs: [PROGRAM], beatEvery: 50 });

function prepareFor(t: TestContext, driver: InstanceDriver, times: object = {}) {
  const log = pino({ level: 'silent' });
  const owner = `test-${randomUUID()}`;
  const preparer = dumpPreparer(db, { driver, files, owner, log, times: { ...TIMES, ...times } });
  preparer.start();
  t.after(() => preparer.close());
  return preparer;
}

const pathOf = ({ project }: Task) => `/api/projects/${project}/odoo-dump`;
async function upload(task: Task, word = 'fine'): Promise<string> {
  const { status, body, text } = await request('PUT', `${pathOf(task)}?production=false`, {
    key: task.owner.key,
    raw: dumpOf('18.0', [{ name: `filestore/${word}`, data: randomUUID() }]),
  });
  assert.equal(status, 201, text);
  return body.id;
}
const shown = async (task: Task) =>
  (await request('GET', pathOf(task), { key: task.owner.key })).body;
const untilDump = (task: Task, status: string) =>
  until(`the dump is ${status}`, async () => (await shown(task)).status === status);
const orderOf = async (driver: TestInstances, id: string) =>
  JSON.parse(await readFile(join(driver.directory, id, 'order.json'), 'utf8'));
const isThere = (driver: TestInstances, id: string) =>
  stat(join(driver.directory, id)).then(
    () => true,
    () => false,
  );
const untilGone = (driver: TestInstances, id: string) =>
  until('nothing is left of it', async () => !(await isThere(driver, id)));

test('while it is prepared, instances wait and say so; then they start from it, and say that', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  const dump = await upload(task);
  const id = await at.ask(task);
  const { reason } = (await at.call('GET', task)).body;
  assert.equal(reason, 'It waits until the dump of the project is prepared.');
  assert.equal((await at.row(id))?.attempt, 0);
  prepareFor(t, driver);
  await untilDump(task, 'ready');
  await at.untilIs(task, 'running');
  const { body } = await at.call('GET', task);
  assert.deepEqual([body.data, body.reason], ['dump', undefined]);
  const order = await orderOf(driver, id);
  assert.deepEqual(order.dump, { id: dump, database: databaseOfDump(dump) });
  // The file that was prepared is gone; what was made of it is kept.
  await assert.rejects(stat(join(driver.directory, dump, 'dump.zip')));
  assert.ok(await isThere(driver, dump));
});

test('an instance without a dump says that it began empty; with one it keeps what it has until it is reset', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  await at.ask(task);
  await at.untilIs(task, 'running');
  assert.equal((await at.call('GET', task)).body.data, 'empty');
  await upload(task);
  const again = (how: string) =>
    request('POST', `/api/tasks/${task.id}/odoo-instance/${how}`, { key: task.owner.key });
  await again('restart');
  await at.untilIs(task, 'running');
  assert.equal((await again('reset')).body.status, 'starting');
  assert.match((await at.call('GET', task)).body.reason, /until the dump of the project/);
  prepareFor(t, driver);
  await at.untilIs(task, 'running');
  assert.equal((await at.call('GET', task)).body.data, 'dump');
});

test('409: one that cannot be used says why, nothing is left of it, and no instance gets it', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  const asked = await at.task();
  const dump = await upload(task, 'unusable');
  await at.ask(task);
  prepareFor(t, driver);
  await untilDump(task, 'failed');
  assert.equal((await shown(task)).reason, 'It is no database of Odoo.');
  assert.ok(!(await isThere(driver, dump)));
  // The one that has waited for it.
  await at.untilIs(task, 'failed');
  assert.match((await at.call('GET', task)).body.reason, /Upload another one, or delete it/);
  // From then on, no worker has anything to do with it.
  await until('it is cleared', async () => {
    const rows = await db.many(sql`
      select id from erp_instance where task_id = ${task.id} and cleared_at is not null`);
    return rows.length === 1;
  });
  const reply = await unchanged(() => at.call('POST', task));
  assert.deepEqual([reply.status, reply.body.code], [409, 'odoo_dump_failed']);
  await request('DELETE', pathOf(task), { key: task.owner.key });
  await at.ask(task);
  await at.untilIs(task, 'running');
  // Other projects have nothing to do with it.
  await at.ask(asked);
  await at.untilIs(asked, 'running');
});

test('409: a dump of another version than the project has now', async (t) => {
  const driver = await drivers(t);
  prepareFor(t, driver);
  const task = await at.task();
  await upload(task);
  await untilDump(task, 'ready');
  await db.many(sql`update project set erp_version = '19.0' where id = ${task.project}`);
  const reply = await unchanged(() => at.call('POST', task));
  assert.deepEqual([reply.status, reply.body.code], [409, 'odoo_dump_of_other_version']);
});

test('a program that fails without a reason is tried three times', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  const dump = await upload(task, 'crash');
  prepareFor(t, driver);
  await untilDump(task, 'failed');
  assert.match((await shown(task)).reason, /in the log of its worker\.$/);
  const { attempt } = await db.one<{ attempt: number }>(sql`
    select attempt from odoo_dump where id = ${dump}`);
  assert.equal(attempt, 3);
  assert.ok(!(await isThere(driver, dump)));
});

test('a dump whose bytes are lost has failed, and so has one for which there is no program', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  await upload(task);
  const { key } = await db.one<{ key: string }>(sql`
    select storage_key as key from odoo_dump where project_id = ${task.project}`);
  await files.delete([key]);
  prepareFor(t, driver);
  await untilDump(task, 'failed');
  assert.match((await shown(task)).reason, /Upload it again\.$/);
  await upload(task);
  await db.many(sql`
    update odoo_dump set not_before = 'infinity' where project_id = ${task.project}`);
  prepareFor(t, { ...driver, prepare: async () => undefined });
  await db.many(sql`update odoo_dump set not_before = now() where project_id = ${task.project}`);
  await until('it is decided', async () => (await shown(task)).status !== 'preparing');
});

test('race: one that is deleted while it is prepared is gone, with its program and its place', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  prepareFor(t, driver);
  const dump = await upload(task, 'slow');
  await until('it is at work', async () => (await driver.find(dump)).state === 'running');
  const deleted = await request('DELETE', pathOf(task), { key: task.owner.key });
  assert.equal(deleted.status, 204);
  await untilGone(driver, dump);
  assert.equal((await driver.find(dump)).state, 'absent');
});

test('race: one that is replaced while it is prepared makes room for the next, which instances get', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  prepareFor(t, driver);
  const first = await upload(task, 'slow');
  await until('it is at work', async () => (await driver.find(first)).state === 'running');
  const id = await at.ask(task);
  const second = await upload(task);
  await untilDump(task, 'ready');
  await at.untilIs(task, 'running');
  assert.equal((await orderOf(driver, id)).dump.id, second);
  await untilGone(driver, first);
  assert.ok(await isThere(driver, second));
});

test('race: one that is replaced while instances start from it', async (t) => {
  const driver = await drivers(t);
  prepareFor(t, driver);
  const task = await at.task();
  const first = await upload(task);
  await untilDump(task, 'ready');
  await at.ask(task);
  const [second] = await Promise.all([upload(task), keepFor(t, db, driver)]);
  await untilDump(task, 'ready');
  await at.untilIs(task, 'running');
  const { body } = await at.call('GET', task);
  assert.equal(body.data, 'dump');
  assert.ok([first, second].includes((await orderOf(driver, body.id)).dump.id));
  await untilGone(driver, first);
});

test('those of one workspace leave places to others', async () => {
  const first = await at.task();
  const projects = [first.project];
  for (let n = 0; n < 4; n++)
    projects.push(await harness.fixtures.project({ organizationId: first.workspace }));
  for (const project of projects) await upload({ ...first, project });
  const other = await upload(await at.task());
  const taken: (string | undefined)[] = [];
  for (let n = 0; n < 5; n++)
    taken.push((await takeDump(db, { owner: 'a worker', lease: 60_000 }))?.id);
  const ofFirst = await db.many<{ id: string }>(sql`
    select id from odoo_dump where project_id = any(${projects}::uuid[]) order by not_before, id`);
  const [one, two, three] = ofFirst.map(({ id }) => id);
  assert.deepEqual(taken, [one, other, two, three, undefined]);
});

test('what a worker has left that died is begun anew by another one', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  const dump = await upload(task, 'slow');
  const first = prepareFor(t, driver);
  await until('it is at work', async () => (await driver.find(dump)).state === 'running');
  await first.close();
  const { owner, attempt } = await db.one<{ owner: string | null; attempt: number }>(sql`
    select owner, attempt from odoo_dump where id = ${dump}`);
  assert.deepEqual([owner, attempt], [null, 1]);
  assert.equal((await driver.find(dump)).state, 'stopped');
  // As one that was killed.
  await db.many(sql`
    update odoo_dump set owner = 'dead', lease_until = now() - interval '1 second'
     where id = ${dump}`);
  prepareFor(t, driver);
  await until('another has it', async () => (await driver.find(dump)).state === 'running');
});

/** A worker of its own process, which dies before `dieBefore`, or is to be killed. */
async function startDying(t: TestContext, driver: TestInstances, dieBefore?: string) {
  const child = startProgram('dying-dump-worker.ts', [], { DATABASE_URL: databaseUrl });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await once(child.stdout, 'data');
  const { directory } = driver;
  const order = { directory, files: files.place, program: PROGRAM, dieBefore };
  child.stdin.write(`${JSON.stringify(order)}\n`);
  return { child, exited };
}

for (const step of ['prepare', "set state = 'ready'"])
  test(`killed before ${step}: another worker prepares it, and an instance starts from it`, async (t) => {
    const driver = await drivers(t);
    const task = await at.task();
    const dump = await upload(task);
    const { exited } = await startDying(t, driver, step);
    await exited;
    assert.equal((await shown(task)).status, 'preparing');
    keepFor(t, db, driver);
    prepareFor(t, driver);
    await at.ask(task);
    await untilDump(task, 'ready');
    await at.untilIs(task, 'running');
    assert.equal((await at.call('GET', task)).body.data, 'dump');
    assert.ok(await isThere(driver, dump));
  });

test('killed at work, and its dump deleted: neither a process nor a place is left', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  const dump = await upload(task, 'slow');
  const { child, exited } = await startDying(t, driver);
  await until('it is at work', async () => (await driver.find(dump)).state === 'running');
  child.kill('SIGKILL');
  await exited;
  await until('its program has ended', async () => (await driver.find(dump)).state === 'stopped');
  await request('DELETE', pathOf(task), { key: task.owner.key });
  keepFor(t, db, driver);
  await untilGone(driver, dump);
});

test('what was prepared and is lost is prepared again before an instance starts', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  keepFor(t, db, driver);
  prepareFor(t, driver);
  const dump = await upload(task);
  await untilDump(task, 'ready');
  await rm(join(driver.directory, dump), { recursive: true });
  await at.ask(task);
  await at.untilIs(task, 'running');
  assert.equal((await at.call('GET', task)).body.data, 'dump');
  assert.ok(await isThere(driver, dump));
});

test('a database that its program does not find is prepared again', async (t) => {
  const driver = await drivers(t);
  const task = await at.task();
  prepareFor(t, driver);
  const dump = await upload(task);
  await untilDump(task, 'ready');
  const before = (await shown(task)).prepared_at;
  const mark = join(driver.directory, 'missing');
  await writeFile(mark, '');
  keepFor(t, db, driver);
  await at.ask(task);
  await until(
    'it was prepared again',
    async () => {
      const { prepared_at, status } = await shown(task);
      return status === 'ready' && prepared_at !== before;
    },
    30_000,
  );
  await rm(mark);
  await at.untilIs(task, 'running');
  assert.equal((await shown(task)).id, dump);
});

test('what was prepared goes with its project, and that of other projects stays', async (t) => {
  const driver = await drivers(t);
  keepFor(t, db, driver);
  prepareFor(t, driver);
  const [gone, kept] = [await at.task(), await at.task()];
  const [first, second] = [await upload(gone), await upload(kept)];
  for (const task of [gone, kept]) await untilDump(task, 'ready');
  const { key } = gone.owner;
  const deleted = await request('DELETE', `/api/projects/${gone.project}`, { key });
  assert.equal(deleted.status, 200);
  await untilGone(driver, first);
  assert.ok(await isThere(driver, second));
});
