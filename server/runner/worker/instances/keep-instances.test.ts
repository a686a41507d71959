import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { auditUsage } from '../../../billing/audit/usage.ts';
import { openDatabase } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { InstanceError } from '../../../erp/instances/instance-driver.ts';
import { instancePassword } from '../../../erp/instances/password.ts';
import { isReady } from '../../../erp/instances/ready.ts';
import { holdsSecret } from '../../../telemetry/hide-secrets.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import {
  checkRunning,
  instancesAtWork,
  keepFor,
  LEAVING_ORPHANS,
  makeKeeper,
  PROCESSES,
  processesOfInstance,
  startDyingKeeper,
} from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances, signIn, specOf } from '../../../testing/fixtures/erp/instances.ts';
import { folderOfProcess } from '../../../testing/harness/folder-of-process.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { countInstances } from './count-instances.ts';

/** What people ask of ERP instances, with workers that carry it out. */

const harness = await startHarness({ env: await fakeCatalog() });
const { db, databaseUrl } = harness;
const at = instancesAtWork(harness);
const FAKE_ODOO = 'fakes/fake-odoo/instance.ts';
/** A log, and the lines in it. */
const logged = () => {
  const lines: string[] = [];
  return {
    lines,
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  };
};

test('it is made ready with a password of its own, is reached, and is removed with its data', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { publicUrl: (id) => `https://${id}.example.com` });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  const { body } = await at.call('GET', task);
  assert.deepEqual([body.id, body.url], [id, `https://${id}.example.com`]);
  const url = (await driver.url(id)) ?? '';
  const password = instancePassword('the secret of the server', id);
  const spec = specOf(id, { erpVersion: '18.0', password });
  assert.equal(await isReady(url, spec), true);
  assert.ok(Number(await signIn(url, spec)) > 0);
  assert.ok(!JSON.stringify(body).includes(password));
  assert.equal((await at.call('DELETE', task)).status, 200);
  await at.untilIs(task, 'none');
  assert.deepEqual([await driver.list(), await processesOfInstance(id)], [[], []]);
  assert.equal((await at.row(id))?.state, 'ended');
  // Whoever looks at the task follows it.
  const told = await db.many<{ payload: object }>(sql`
    select payload from task_event_outbox
     where task_id = ${task.id} and type = 'odoo_instance' order by noted_at`);
  assert.deepEqual(
    told.map(({ payload }) => payload),
    ['starting', 'running', 'stopping', 'ended'].map((status) => ({
      odoo_instance_id: id,
      status,
    })),
  );
});

test('a restart and a reset are done by a worker, once each, and what it says is kept until it is gone', async (t) => {
  const driver = await makeInstances(t);
  const done: string[] = [];
  const { again } = driver;
  driver.again = async (id, how) => {
    done.push(how);
    await again?.(id, how);
  };
  keepFor(t, db, driver, { entryUrl: (id) => `http://${id}.erp.test/_guildhall/open` });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  const ask = (method: string, what: string) =>
    harness.request(method, `/api/tasks/${task.id}/odoo-instance/${what}`, { key: task.owner.key });
  for (const how of ['restart', 'reset']) {
    const [before] = await processesOfInstance(id);
    assert.equal((await ask('POST', how)).status, 200);
    await at.untilIs(task, 'running');
    assert.ok(!(await processesOfInstance(id)).includes(before as never));
  }
  assert.deepEqual(done, ['restart', 'reset']);
  assert.equal((await ask('POST', 'open')).status, 201);
  await until('its log is kept', async () => /fake Odoo/.test((await ask('GET', 'log')).body.text));
  await at.call('DELETE', task);
  await at.untilIs(task, 'none');
  const left = await db.many(sql`
    select instance_id from erp_instance_log where instance_id = ${id}
    union all select instance_id from erp_instance_visit where instance_id = ${id}`);
  assert.deepEqual(left, []);
});

test('one that is stopped while it starts never runs', async (t) => {
  const driver = await makeInstances(t);
  const task = await at.task();
  const id = await at.ask(task);
  keepFor(t, db, driver);
  await until('it is begun', async () => (await at.row(id))?.owner !== null);
  await at.call('DELETE', task);
  await at.untilIs(task, 'none');
  assert.deepEqual([await driver.list(), await processesOfInstance(id)], [[], []]);
});

test('a program that ends has failed, for a reason, and what is left of it is removed', async (t) => {
  const start = [process.execPath, '-e', "console.error('no such module'); process.exit(1)"];
  const programs = [{ version: '18.0', editions: ['community' as const], start }];
  const driver = await makeInstances(t, { programs });
  keepFor(t, db, driver);
  const task = await at.task();
  await at.ask(task);
  await at.untilIs(task, 'failed');
  const { body } = await at.call('GET', task);
  assert.match(body.reason, /^The instance did not start\. .* in the log of its worker\.$/);
  await until('nothing is left', async () => (await driver.list()).length === 0);
});

/** A fake Odoo that reports that PostgreSQL does not answer, as long as there is a file `away`. */
const needingPostgres = (away: string) => `
  const { existsSync, writeFileSync } = require('node:fs');
  if (existsSync(${JSON.stringify(away)})) {
    const report = JSON.stringify({ unavailable: true, seconds: 0 });
    writeFileSync(process.env.GUILDHALL_INSTANCE_REPORT, report);
    process.exit(1);
  }
  import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, `../../../testing/${FAKE_ODOO}`)).href)});`;

test('what needs a PostgreSQL that is away is tried again, and keeps its data as long as it may', async (t) => {
  const away = join(await folderOfProcess('guildhall-away-'), 'away');
  const start = [process.execPath, '-e', needingPostgres(away)];
  const programs = [{ version: '18.0', editions: ['community' as const], start }];
  const driver = await makeInstances(t, { programs });
  keepFor(t, db, driver, { times: { ...LEAVING_ORPHANS, again: 20 } });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');

  await writeFile(away, '');
  const path = `/api/tasks/${task.id}/odoo-instance/restart`;
  assert.equal((await harness.request('POST', path, { key: task.owner.key })).status, 200);
  await until('it was tried often', async () => Number((await at.row(id))?.attempt) > 6, 60_000);
  assert.equal(await at.status(task), 'starting');
  assert.equal((await driver.find(id)).state, 'stopped');
  // A new one has nothing to lose.
  const other = await at.task();
  await at.ask(other);
  await at.untilIs(other, 'failed');
  const { body } = await at.call('GET', other);
  assert.equal(body.reason, 'What runs ERP instances does not answer. Try again later.');

  await rm(away);
  await at.untilIs(task, 'running');
  assert.equal((await at.row(id))?.state, 'running');
});

test('why one has ended that was ready is told as its program says it', async (t) => {
  const over = join(await folderOfProcess('guildhall-over-'), 'over');
  const fake = pathToFileURL(join(import.meta.dirname, `../../../testing/${FAKE_ODOO}`)).href;
  const script = `const { existsSync, writeFileSync } = require('node:fs');
    import(${JSON.stringify(fake)});
    setInterval(() => {
      if (!existsSync(${JSON.stringify(over)})) return;
      const report = JSON.stringify({ problem: 'The database became too large.', seconds: 0 });
      writeFileSync(process.env.GUILDHALL_INSTANCE_REPORT, report);
      process.exit(1);
    }, 50);`;
  const start = [process.execPath, '-e', script];
  const programs = [{ version: '18.0', editions: ['community' as const], start }];
  const driver = await makeInstances(t, { programs });
  keepFor(t, db, driver);
  const task = await at.task();
  await at.ask(task);
  await at.untilIs(task, 'running');
  await writeFile(over, '');
  await at.untilIs(task, 'failed');
  const { body } = await at.call('GET', task);
  assert.equal(body.reason, 'The database became too large. Start another one.');
});

test('one that is not ready in time has failed', async (t) => {
  const start = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const programs = [{ version: '18.0', editions: ['community' as const], start }];
  const driver = await makeInstances(t, { programs });
  keepFor(t, db, driver, { startWithin: 300 });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'failed');
  assert.match((await at.row(id))?.reason ?? '', /^The instance was not ready within \d+ seconds?/);
  await until('it was ended', async () => (await processesOfInstance(id)).length === 0);
});

const PRINTS = `const { GUILDHALL_INSTANCE_PASSWORD: word } = process.env;
  const coded = Buffer.from('admin:' + word).toString('base64');
  const end = (said) => { console.error('/srv/odoo/odoo.conf: ' + said); process.exit(1); };`;

test('what a program has printed is in the log alone, bounded and without the password', async (t) => {
  const last = (word: string) => `${PRINTS} console.error('x'.repeat(5_000)); end(${word})`;
  const programs = ['18.0', '17.0'].map((version) => ({
    version,
    editions: ['community' as const],
    start: [process.execPath, '-e', last(version === '18.0' ? "'no ' + word" : "'no ' + coded")],
  }));
  const driver = await makeInstances(t, { programs });
  const { log, lines } = logged();
  keepFor(t, db, driver, { log });
  for (const version of ['18.0', '17.0']) {
    const task = await at.task();
    await db.many(sql`update project set erp_version = ${version} where id = ${task.project}`);
    const id = await at.ask(task);
    await at.untilIs(task, 'failed');
    const { reason } = (await at.call('GET', task)).body;
    assert.equal(
      reason,
      'The instance did not start. The operator of this server finds the ' +
        'reason in the log of its worker.',
    );
    const said = lines.filter((line) => line.includes(id)).join();
    const password = instancePassword('the secret of the server', id);
    assert.ok(said.includes('ended as it was started') && !holdsSecret(said, password), said);
    assert.ok(said.length < 5_000);
    if (version === '18.0') assert.match(said, /\/srv\/odoo\/odoo\.conf: no \*\*\*/);
  }
});

test('nor is it shown of one that ends by itself later', async (t) => {
  const fakeOdoo = pathToFileURL(join(import.meta.dirname, '../../../testing', FAKE_ODOO)).href;
  const script = `${PRINTS} import('${fakeOdoo}');
    setInterval(() => { if (require('fs').existsSync('end')) end(word + ' is wrong'); }, 50);`;
  const start = [process.execPath, '-e', script];
  const programs = [{ version: '18.0', editions: ['community' as const], start }];
  const driver = await makeInstances(t, { programs });
  const { log, lines } = logged();
  keepFor(t, db, driver, { log });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  await writeFile(join(driver.directory, id, 'data/end'), '');
  await at.untilIs(task, 'failed');
  const { reason } = (await at.call('GET', task)).body;
  assert.equal(reason, 'The instance ended by itself. Start another one.');
  assert.match(lines.join(), /odoo\.conf: \*\*\* is wrong/);
  assert.ok(!holdsSecret(lines.join(), instancePassword('the secret of the server', id)));
});

test('one that ends by itself later has failed', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver);
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  for (const pid of await processesOfInstance(id)) process.kill(pid, 'SIGKILL');
  await at.untilIs(task, 'failed');
  assert.match((await at.row(id))?.reason ?? '', /^The instance ended by itself\. .*Start another/);
  const next = await at.ask(task);
  assert.notEqual(next, id);
  await at.untilIs(task, 'running');
});

test('one that is killed has failed at once, not when it is looked for next', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { times: { ...LEAVING_ORPHANS, reap: 3_600_000 } });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  const [, odoo] = await processesOfInstance(id);
  process.kill(odoo as number, 'SIGKILL');
  await at.untilIs(task, 'failed');
  assert.equal((await at.row(id))?.reason, 'The instance ended by itself. Start another one.');
});

test('one that is started again while its end is looked for has not ended by itself', async (t) => {
  const driver = await makeInstances(t);
  const { promise: late, resolve: answer } = Promise.withResolvers<void>();
  let finds: 'as it is' | 'late' | 'counted' = 'as it is';
  let counted = 0;
  const find = async (id: string) => {
    if (finds === 'counted') counted += 1;
    if (finds !== 'late') return driver.find(id);
    finds = 'as it is';
    await late;
    return { id, state: 'stopped' as const, reason: undefined };
  };
  keepFor(t, db, { ...driver, find });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'running');
  finds = 'late';
  await until('its end is looked for', () => finds === 'as it is');
  await db.many(sql`
    update erp_instance
       set state = 'starting', attempt = 0, owner = null, lease_until = null where id = ${id}`);
  await at.untilIs(task, 'running');
  finds = 'counted';
  answer();
  await until('it is looked for again', () => counted >= 2);
  assert.equal(await at.status(task), 'running');
});

test('what its provider refuses is tried again, and given up after five times', async (t) => {
  const remove = [process.execPath, '-e', 'process.exit(1)'];
  const start = [process.execPath, '-e', ''];
  const programs = [{ version: '18.0', editions: ['community' as const], start, remove }];
  const driver = await makeInstances(t, { programs });
  let asked = 0;
  keepFor(t, db, {
    ...driver,
    create: () => {
      asked += 1;
      return Promise.reject(new InstanceError('unavailable', 'no answer of unix:///run/own.sock'));
    },
  });
  const task = await at.task();
  const id = await at.ask(task);
  await at.untilIs(task, 'failed');
  const reason = 'What runs ERP instances does not answer. Try again later.';
  assert.deepEqual([asked, (await at.row(id))?.reason], [5, reason]);
});

test('the instance of a deleted task goes at once; those of others stay', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { times: LEAVING_ORPHANS });
  const [deleted, kept] = [await at.task(), await at.task()];
  const ids = [await at.ask(deleted), await at.ask(kept)] as const;
  for (const task of [deleted, kept]) await at.untilIs(task, 'running');
  const { key } = deleted.owner;
  assert.equal((await harness.request('DELETE', `/api/tasks/${deleted.id}`, { key })).status, 200);
  await until('it is gone', async () => (await driver.list()).length === 1);
  assert.deepEqual(await processesOfInstance(ids[0]), []);
  assert.equal((await driver.find(ids[1])).state, 'running');
  const project = await harness.request('DELETE', `/api/projects/${kept.project}`, {
    key: kept.owner.key,
  });
  assert.ok(project.status < 300);
  await until('it is gone with its project', async () => (await driver.list()).length === 0);
});

test('a folder that no task knows is removed after a while; the instances of others never', async (t) => {
  const driver = await makeInstances(t);
  const task = await at.task();
  const mine = await at.ask(task);
  const keeper = keepFor(t, db, driver);
  await at.untilIs(task, 'running');
  const orphan = specOf(randomUUID());
  await driver.create(orphan);
  // Another worker, which keeps nothing.
  keepFor(t, db, driver);
  await until('it is removed', async () => (await driver.find(orphan.id)).state === 'absent');
  assert.equal((await driver.find(mine)).state, 'running');
  await keeper.close();
});

test('the tests that an agent runs go on for longer than an orphan is kept', async (t) => {
  const wait = "setTimeout(() => console.log('they have passed'), 2_000)";
  const programs = [
    {
      version: '19.0',
      editions: ['community' as const],
      start: [process.execPath],
      test: [process.execPath, '-e', wait],
    },
  ];
  const driver = await makeInstances(t, { programs, beatEvery: 20 });
  keepFor(t, db, driver);
  const { signal } = new AbortController();
  const ended = await driver.test?.(specOf(randomUUID()), { signal, onLog: () => {} });
  assert.deepEqual([ended?.code, ended?.log], [0, 'they have passed\n']);
  await until('it is removed', async () => (await driver.list()).length === 0);
});

test('closed twice, the second time without a database, it warns of nothing', async (t) => {
  const { lines, log } = logged();
  const own = openDatabase({ url: harness.databaseUrl });
  const keeper = makeKeeper(own, await makeInstances(t), { log });
  keeper.start();
  await keeper.close();
  await own.close();
  await keeper.close();
  assert.deepEqual(lines, []);
});

const OPTIONS = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };

// `crash-points.fault.test.ts` kills the worker at each of its steps.
test(
  'killed while it runs: no process is left, another worker starts it again, its time is counted once',
  OPTIONS,
  async (t) => {
    const driver = await makeInstances(t);
    const task = await at.task();
    const id = await at.ask(task);
    const { child, exited } = await startDyingKeeper(t, databaseUrl, driver.directory);
    await at.untilIs(task, 'running');
    await db.many(sql`update erp_instance set counted_until = counted_until - interval '90 seconds'
                     where id = ${id}`);
    child.kill('SIGKILL');
    await exited;
    await until(
      'none of its processes is left',
      async () => (await processesOfInstance(id)).length === 0,
    );
    keepFor(t, db, driver);
    await until(
      'another has it',
      async () => (await at.row(id))?.owner?.startsWith('test-') === true,
    );
    await until(
      'it was started again',
      async () => (await processesOfInstance(id)).length === PROCESSES,
    );
    await at.untilIs(task, 'running');
    await checkRunning(db, driver, { taskId: task.id, id });
    await Promise.all(Array.from({ length: 6 }, () => countInstances(db, 360_000n, 0)));
    const [used] = await db.many<{ seconds: bigint; amount: bigint }>(sql`
    select sum(pod_seconds)::bigint as seconds, sum(amount)::bigint as amount from usage_event
     where task_id = ${task.id} and kind = 'erp_instance'`);
    const seconds = used?.seconds ?? 0n;
    assert.ok(seconds >= 90n && seconds < 120n, `${seconds}`);
    assert.equal(used?.amount, seconds * 100_000n);
    assert.deepEqual(await db.transaction(auditUsage), []);
  },
);

test('a worker that ends leaves its instance to another at once', OPTIONS, async (t) => {
  const driver = await makeInstances(t);
  const task = await at.task();
  const id = await at.ask(task);
  const first = keepFor(t, db, driver);
  await at.untilIs(task, 'running');
  await first.close();
  assert.deepEqual(await processesOfInstance(id), []);
  assert.equal((await at.row(id))?.owner, null);
  keepFor(t, db, driver);
  await until('another has it', async () => (await processesOfInstance(id)).length === PROCESSES);
  await at.untilIs(task, 'running');
  await checkRunning(db, driver, { taskId: task.id, id });
});
