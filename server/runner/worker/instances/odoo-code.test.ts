import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../../../db/sql.ts';
import { checksOn } from '../../../testing/fixtures/code/checks.ts';
import { fakeCatalog } from '../../../testing/fixtures/erp/fake-catalog.ts';
import { keepFor } from '../../../testing/fixtures/erp/instance-keepers.ts';
import { makeInstances } from '../../../testing/fixtures/erp/instances.ts';
import { makePods } from '../../../testing/fixtures/runner/pods.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { checkWorker } from '../checks/check-worker.ts';
import { odooOf } from '../conversation/odoo-instructions.ts';

/** Instances run the branch of their task, and tests of Odoo are checks. For Odoo: real-odoo.test.ts. */

const harness = await startHarness({ own: true, env: await fakeCatalog() });
const { db, request, repositories: directory, fixtures } = harness;
const checks = await checksOn(harness);
const place = { db, directory };

const MANIFEST = 'addons/books/__manifest__.py';
const TESTS = 'addons/books/tests/test_a.py';

async function task(files: Record<string, string>) {
  await fixtures.fund({ organizationId: checks.workspace }, '10.00');
  return checks.offered(files);
}

const call = (method: string, taskId: string, path = 'odoo-instance') =>
  request(method, `/api/tasks/${taskId}/${path}`, { key: checks.owner.key });

const noticesOf = async (taskId: string): Promise<string[]> =>
  (
    await db.many<{ text: string }>(sql`
      select payload->>'text' as text from task_event_outbox
       where task_id = ${taskId} and type = 'notice' order by noted_at`)
  ).map(({ text }) => text);

test('an instance runs the last commit of the branch, says which is broken, and goes on', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { code: place });
  const { taskId, head, write, commit } = await task({ [MANIFEST]: '{}' });
  const shown = async () => (await call('GET', taskId)).body;
  const untilRuns = (sha: string) =>
    until(
      `it runs ${sha}`,
      async () => {
        const { status, commit_sha } = await shown();
        return status === 'running' && commit_sha === sha;
      },
      60_000,
    );
  assert.equal((await call('POST', taskId)).status, 202);
  await untilRuns(head);
  assert.deepEqual(await noticesOf(taskId), [
    `The throwaway Odoo runs the modules of commit ${head.slice(0, 12)}.`,
  ]);
  assert.match(
    (await odooOf(place)({ taskId })) ?? '',
    new RegExp(
      `modules for Odoo .* Modules: books\\. .* That Odoo runs commit ${head.slice(0, 12)}`,
    ),
  );

  await write(MANIFEST, '{broken}');
  const broken = await commit();
  await until(
    'it says what is broken',
    async () => {
      const { status, broken_sha } = await shown();
      return status === 'running' && broken_sha === broken;
    },
    60_000,
  );
  const { problem } = await shown();
  assert.match(problem, /addons\/books\/__manifest__\.py is broken for \*\*\*$/);
  assert.match((await noticesOf(taskId)).at(-1) ?? '', /could not install the modules of commit/);
  assert.match(
    (await odooOf(place)({ taskId })) ?? '',
    /could not install the modules of commit .*\n\n> CRITICAL .* is broken for \*\*\*$/,
  );

  await write(MANIFEST, '{mended: 1}');
  await untilRuns(await commit());
  assert.equal((await shown()).problem, undefined);
  assert.doesNotMatch((await odooOf(place)({ taskId })) ?? '', /neutralised/);
  await db.many(sql`update erp_instance set data = 'dump' where task_id = ${taskId}`);
  assert.match((await odooOf(place)({ taskId })) ?? '', /a neutralised copy of a real one/);
});

test('a build file that cannot be used is why an instance runs nothing of the branch', async (t) => {
  const driver = await makeInstances(t);
  keepFor(t, db, driver, { code: place });
  const { taskId } = await task({ [MANIFEST]: '{}', '.guildhall.yml': 'odoo: {modules: [--a]}' });
  await call('POST', taskId);
  await until('it runs', async () => (await call('GET', taskId)).body.status === 'running', 60_000);
  const { commit_sha, problem } = (await call('GET', taskId)).body;
  assert.equal(commit_sha, undefined);
  assert.match(problem, /^\.guildhall\.yml: Line 1: a module of "modules" must be the name/);
});

test('tests of Odoo are a check with what has failed, which the agent is asked to fix', async (t) => {
  const driver = await makeInstances(t);
  const run = (taskId: string) => {
    const worker = checkWorker(db, {
      driver: pods,
      directory,
      instances: driver,
      log: pino({ level: 'silent' }),
      times: { poll: 50, renew: 50 },
    });
    worker.start();
    return checks.untilEnded(taskId).finally(() => worker.close());
  };
  const pods = await makePods(t);
  const file = 'odoo: {test_tags: /books}';
  const { taskId, write, commit } = await task({
    [MANIFEST]: '{}',
    [TESTS]: 'it fails',
    '.guildhall.yml': file,
  });
  await run(taskId);
  const [check] = (await call('GET', taskId, 'pull-request/checks')).body;
  assert.deepEqual([check.name, check.conclusion], ['Odoo tests', 'failure']);
  assert.deepEqual(check.failures, [
    {
      test: 'TestM.test_m',
      file: `${TESTS}:5`,
      text: `Traceback (most recent call last):\n  File "${TESTS}", line 5, in test_m\nAssertionError: it fails`,
    },
  ]);
  const asked = await call('POST', taskId, 'pull-request/fix-checks');
  assert.equal(asked.status, 201);
  assert.match(asked.body.text, /## Odoo tests \(failure\)\n\nCommand: \/books/);
  assert.match(asked.body.text, /1 of 2 tests have failed:\n\nTestM\.test_m \(addons/);

  await write(TESTS, 'it works');
  await commit();
  await checks.begin(taskId);
  await run(taskId);
  const [{ conclusion }] = (await call('GET', taskId, 'pull-request/checks')).body;
  assert.equal(conclusion, 'success');
  assert.deepEqual(await driver.list(), []);
});

test('a worker without instances does not let tests of Odoo pass', async (t) => {
  const { taskId } = await task({
    [MANIFEST]: '{}',
    '.guildhall.yml': 'odoo: {test_tags: /books}',
  });
  checks.worker(await makePods(t));
  await checks.untilEnded(taskId);
  const [{ conclusion, log } = assert.fail()] = await checks.runs(taskId);
  assert.equal(conclusion, 'failure');
  assert.match(log ?? '', /^This server runs no tests of Odoo modules/);
});
