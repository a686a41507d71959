import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { sql } from '../../../db/sql.ts';
import { PodError } from '../../../platform/pods/pod.ts';
import { checksOn } from '../../../testing/fixtures/code/checks.ts';
import { killedChecks } from '../../../testing/fixtures/code/killed-checks.ts';
import { makePods } from '../../../testing/fixtures/runner/pods.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { untilGone } from '../../../testing/processes/processes.ts';
import { networkOf } from '../../network/network.ts';
import { openEnvironments } from '../environment/environments.ts';
import { orphanReaper } from '../reap-pods.ts';

/** The checks of a commit are run by workers, once, and what comes of them is stored. */

const harness = await startHarness({ own: true });
const { db } = harness;
const checks = await checksOn(harness);
const { checked, offered, runs, suite, suites, begin, worker, untilEnded, untilRun } = checks;

const ENDED = 'It ended with code 0.\n';

test('checks run one after the other, and each has its log', async (t) => {
  const { taskId, head } = await checked({
    tests: 'cat a.txt; echo $GUILDHALL_TASK_ID $GUILDHALL_HEAD_SHA',
    lint: 'echo bad; exit 2',
    last: 'true',
  });
  assert.deepEqual(await runs(taskId), []);
  const pods = await makePods(t);
  worker(pods);
  await untilEnded(taskId);
  assert.deepEqual(await runs(taskId), [
    {
      name: 'tests',
      state: 'completed',
      conclusion: 'success',
      log: `one\n${taskId} ${head}\n${ENDED}`,
    },
    {
      name: 'lint',
      state: 'completed',
      conclusion: 'failure',
      log: 'bad\nIt ended with code 2.\n',
    },
    { name: 'last', state: 'completed', conclusion: 'success', log: ENDED },
  ]);
  const { conclusion, attempts } = (await suite(taskId)) ?? assert.fail();
  assert.deepEqual([conclusion, attempts], ['failed', 1]);
  assert.deepEqual(await pods.list(), []);
  const times = await db.many<{ started: Date; ended: Date }>(sql`
    select started_at as started, completed_at as ended from check_run c
      join check_suite s on s.id = c.suite_id where s.task_id = ${taskId} order by position`);
  for (const [index, { started, ended }] of times.entries()) {
    assert.ok(started <= ended);
    assert.ok(index === 0 || started >= (times[index - 1]?.ended as Date));
  }
});

test('a suite has passed when all of its checks have', async (t) => {
  const { taskId } = await checked({ a: 'true', b: 'true' });
  worker(await makePods(t));
  await untilEnded(taskId);
  assert.equal((await suite(taskId))?.conclusion, 'passed');
});

test('without a build file, the suite has ended when the pull request is there', async () => {
  const { taskId, head } = await offered();
  assert.deepEqual(
    (await suites(taskId)).map(({ head, conclusion }) => [head, conclusion]),
    [[head, 'none']],
  );
});

test('a build file without checks ends as one that is not there', async (t) => {
  const { taskId } = await checked('deploy: {staging: ./deploy}');
  assert.equal((await suite(taskId))?.state, 'queued');
  worker(await makePods(t));
  await untilEnded(taskId);
  assert.deepEqual([(await suite(taskId))?.conclusion, await runs(taskId)], ['none', []]);
});

test('a build file that cannot be read is a check that has failed', async (t) => {
  const { taskId } = await checked('checks:\n  - name: a\n    runs: b\n');
  worker(await makePods(t));
  await untilEnded(taskId);
  assert.equal((await suite(taskId))?.conclusion, 'failed');
  const [run, ...others] = await runs(taskId);
  assert.deepEqual([run?.name, run?.conclusion, others], ['.guildhall.yml', 'failure', []]);
  assert.match(run?.log ?? '', /^\.guildhall\.yml: Line 3: a check has an unknown key "runs"/);
});

test('hosts that checks and their setup do not reach are notices of the task, each once for a purpose', async (t) => {
  const run = 'curl -sS http://evil.example/ http://other.example/; exit 0';
  const { taskId } = await checked(
    JSON.stringify({
      environment: { setup: 'curl -sS http://evil.example/' },
      checks: [
        { name: 'a', run },
        { name: 'b', run },
      ],
    }),
  );
  const pods = await makePods(t);
  const none = { setup: [], agent: [], checks: [], deploy: [] };
  const openNetwork = networkOf(db, { hosts: none, fixed: [], privateNetworks: [] });
  const directory = harness.repositories;
  const environments = openEnvironments(db, { driver: pods, directory, openNetwork });
  worker(pods, {}, db, { openNetwork, environments });
  await untilEnded(taskId);
  const notices = await db.many<{ purpose: string; host: string; allow: string }>(sql`
    select payload #>> '{network,purpose}' as purpose, payload #>> '{network,host}' as host,
           payload #>> '{network,allow}' as allow
      from task_event_outbox where task_id = ${taskId} and type = 'notice' order by noted_at`);
  const notice = (purpose: string, host: string) => ({ purpose, host, allow: host });
  assert.deepEqual(notices, [
    notice('setup', 'evil.example'),
    notice('checks', 'evil.example'),
    notice('checks', 'other.example'),
  ]);
  for (const { log } of await runs(taskId))
    assert.equal(log?.split("evil.example:80 was refused: it is not on this project's").length, 3);
});

test('what a check writes can be read while it runs', async (t) => {
  const { taskId } = await checked({ a: 'echo so far; sleep 300' });
  const running = worker(await makePods(t));
  await until('a log', async () => (await runs(taskId))[0]?.log === 'so far\n', 60_000);
  await running.close();
  assert.equal((await suite(taskId))?.state, 'running', 'it is left to others');
});

test('a process that ends gives back what it has, and it does not count', async (t) => {
  const { taskId } = await checked({
    a: 'true',
    b: 'test -e /nonexistent || sleep 300',
    c: 'true',
  });
  const pods = await makePods(t);
  const first = worker(pods);
  await untilRun(taskId, 'b', 'in_progress');
  await first.close();
  assert.deepEqual(await pods.list(), []);
  const before = await suite(taskId);
  assert.deepEqual([before?.state, before?.attempts], ['running', 0]);
  // What has ended stays as it is.
  const [ended] = await runs(taskId);
  worker(pods);
  await until('it goes on', async () => (await suite(taskId))?.attempts === 1, 60_000);
  assert.deepEqual((await runs(taskId))[0], ended);
});

test('when the branch moves, the checks of the commit before are cancelled, and its pod is gone', async (t) => {
  const task = await checked({ a: 'true', b: 'sleep 300', c: 'true' });
  const pods = await makePods(t);
  worker(pods);
  await untilRun(task.taskId, 'b', 'in_progress');
  await until('its pod', async () => (await pods.list()).length > 0, 60_000);
  await task.write('.guildhall.yml', '{"checks": [{"name": "other", "run": "true"}]}');
  const head = await task.commit();
  await begin(task.taskId);
  await untilEnded(task.taskId);
  await until('no pod', async () => (await pods.list()).length === 0, 60_000);
  const all = await suites(task.taskId);
  assert.deepEqual(
    all.map(({ head, conclusion }) => [head, conclusion]),
    [
      [task.head, 'cancelled'],
      [head, 'passed'],
    ],
  );
  const old = await db.many(sql`
    select name, state, conclusion from check_run where suite_id = ${all[0]?.id} order by position`);
  assert.deepEqual(old, [
    { name: 'a', state: 'completed', conclusion: 'success' },
    { name: 'b', state: 'completed', conclusion: 'cancelled' },
    { name: 'c', state: 'completed', conclusion: 'cancelled' },
  ]);
});

test('checks that a worker adds while the branch moves are cancelled, too', async () => {
  const task = await checked({ a: 'true' });
  await task.write('a.txt', 'two\n');
  await task.commit();
  let moved: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.many(sql`
      with owned as materialized (
        select id from check_suite where task_id = ${task.taskId} for no key update)
      insert into check_run (suite_id, position, name, kind, command, timeout_minutes)
      select id, 1, 'a', 'shell', 'true', 1 from owned`);
    moved = begin(task.taskId);
    await until('it waits for the suite', async () => {
      const waiting = await db.many(sql`select from pg_locks where not granted`);
      return waiting.length > 0;
    });
  });
  await moved;
  const [added] = await db.many<{ state: string; conclusion: string | null }>(sql`
    select r.state, r.conclusion from check_run r join check_suite s on s.id = r.suite_id
     where s.task_id = ${task.taskId}`);
  assert.deepEqual(added, { state: 'completed', conclusion: 'cancelled' });
});

test('a branch that comes back to a commit has its checks anew if they were cancelled', async (t) => {
  const task = await checked({ a: 'true' });
  const { gitIn } = checks;
  await db.many(sql`
    insert into check_run (suite_id, position, name, kind, command, timeout_minutes)
    select id, 1, 'of before', 'shell', 'true', 1 from check_suite where task_id = ${task.taskId}`);
  const runs = async () =>
    (
      await db.many<{ name: string; conclusion: string | null }>(sql`
        select r.name, r.conclusion from check_run r join check_suite s on s.id = r.suite_id
         where s.task_id = ${task.taskId}`)
    ).map(({ name, conclusion }) => [name, conclusion]);
  await task.write('a.txt', 'two\n');
  const other = await task.commit();
  await begin(task.taskId);
  assert.deepEqual(await runs(), [['of before', 'cancelled']]);
  const ref = `refs/heads/task/${task.taskId.slice(0, 8)}`;
  gitIn(task.projectId, 'update-ref', ref, task.head);
  await begin(task.taskId);
  assert.deepEqual(await runs(), []);
  const states = async () =>
    (await suites(task.taskId)).map((s) => [s.head, s.state, s.conclusion]);
  assert.deepEqual(await states(), [
    [other, 'completed', 'cancelled'],
    [task.head, 'queued', null],
  ]);
  worker(await makePods(t));
  await untilEnded(task.taskId);
  // Those that have ended are not run again.
  gitIn(task.projectId, 'update-ref', ref, other);
  await begin(task.taskId);
  gitIn(task.projectId, 'update-ref', ref, task.head);
  await begin(task.taskId);
  assert.deepEqual(
    (await states()).sort(),
    [
      [other, 'completed', 'cancelled'],
      [task.head, 'completed', 'passed'],
    ].sort(),
  );
});

test('two workers run a suite once', async (t) => {
  const pods = await makePods(t);
  const tasks = await Promise.all(
    Array.from({ length: 3 }, () => checked({ a: 'echo $$; sleep 1' })),
  );
  for (let workers = 0; workers < 3; workers++) worker(pods);
  for (const { taskId } of tasks) {
    await untilEnded(taskId);
    const { attempts, conclusion } = (await suite(taskId)) ?? assert.fail();
    assert.deepEqual([attempts, conclusion], [1, 'passed']);
  }
});

test('the reaper of pods spares those of checks that run, and no others', async (t) => {
  const { taskId } = await checked({ a: 'sleep 300' });
  const pods = await makePods(t);
  const running = worker(pods);
  await untilRun(taskId, 'a', 'in_progress');
  await until('its pod', async () => (await pods.list()).length > 0, 60_000);
  const place = { driver: pods, log: pino({ level: 'silent' }) };
  const reap = orphanReaper(db, place, 0);
  const orphan = randomUUID();
  await pods.create(orphan);
  await reap();
  await until('the orphan is gone', async () => (await reap()) > 0);
  assert.deepEqual(
    (await pods.list()).filter(({ id }) => id === orphan),
    [],
  );
  assert.equal((await pods.list()).length, 1);
  await running.close();
});

test('a branch that has moved without anyone noticing is found', async (t) => {
  const task = await checked({ a: 'true' });
  await task.write('a.txt', 'two\n');
  const head = await task.commit();
  worker(await makePods(t), { heads: 25 });
  await until('its checks', async () => (await suite(task.taskId))?.head === head, 60_000);
  await untilEnded(task.taskId);
  assert.equal((await suite(task.taskId))?.conclusion, 'passed');
});

test('checks whose pods cannot be made are tried three times, and have failed then', async (t) => {
  const { taskId } = await checked({ a: 'true', b: 'true' });
  const pods = await makePods(t);
  const away = async () => Promise.reject(new PodError('unavailable', 'it does not answer'));
  worker({ ...pods, create: away }, { again: 10 });
  await untilEnded(taskId);
  const all = await runs(taskId);
  assert.deepEqual(
    all.map(({ conclusion }) => conclusion),
    ['failure', 'failure'],
  );
  for (const { log } of all) assert.match(log ?? '', /failed 3 times/);
  assert.equal((await suite(taskId))?.conclusion, 'failed');
});

test('a renewal that is on its way when checks are left does not keep them from others', async (t) => {
  const { taskId } = await checked({ a: 'true' });
  const away = async () => {
    await pause(50);
    throw new PodError('unavailable', 'it does not answer');
  };
  const many: typeof db.many = async (query) => {
    if (query.strings.join('').includes('renewed as')) await pause(100);
    return db.many(query);
  };
  worker({ ...(await makePods(t)), create: away }, { renew: 10, again: 200 }, { ...db, many });
  // The lease is 30 s, and three attempts are made.
  const before = performance.now();
  await untilEnded(taskId);
  assert.ok(performance.now() - before < 30_000);
});

test('a task that is deleted while its checks run leaves no pod', async (t) => {
  const { taskId } = await checked({ a: 'sleep 300' });
  const pods = await makePods(t);
  worker(pods);
  await untilRun(taskId, 'a', 'in_progress');
  await until('its pod', async () => (await pods.list()).length > 0, 60_000);
  await db.many(sql`delete from task where id = ${taskId}`);
  await until('no pod', async () => (await pods.list()).length === 0, 60_000);
});

// `crash-points.fault.test.ts` kills the worker at each of its steps.
test('killed while a command runs: its processes are gone, and it is run again', async () => {
  const killed = await killedChecks(harness, checks);
  const [folder, seen] = [await killed.folder(), await killed.folder()];
  const once = `if mkdir ${seen}/first; then echo $$ > ${seen}/pid; exec sleep 300; fi`;
  const { taskId } = await checked({ a: once });
  const { child, exited } = await killed.start(folder);
  const pid = () => readFileSync(join(seen, 'pid'), 'utf8').trim();
  await until('it runs', () => existsSync(join(seen, 'pid')) && pid() !== '', 60_000);
  child.kill('SIGKILL');
  await exited;
  await killed.goOn(taskId, folder);
  await untilGone(Number(pid()));
  const { conclusion, attempts } = (await suite(taskId)) ?? assert.fail();
  assert.deepEqual([conclusion, attempts], ['passed', 2]);
});
