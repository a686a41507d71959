import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { refreshDeploys } from '../../code/github/refresh-deploys.ts';
import { branchOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { startGithub } from '../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../testing/fixtures/code/tasks-on-github.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { storeCheckLogs } from './store-check-logs.ts';

/** What GitHub reports of commits: logs of checks, deployments, and who has pushed. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, request } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { shop } = on;
const silent = pino({ level: 'silent' });

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  request(method, `/api/${path}`, { key: owner.key, ...(body && { body }) });
const refresh = async (taskId: string) => {
  await on.due(taskId);
  await on.refresh();
};

async function opened() {
  const task = await on.built();
  assert.equal((await call('POST', `tasks/${task.taskId}/pull-request`)).status, 201);
  return task;
}

test('the log of a failed check is stored without secrets, and given to the agent', async () => {
  const { taskId, head } = await opened();
  const secret = `ghs_${'a1B2'.repeat(9)}`;
  fake.check(shop, head, {
    name: 'tests',
    conclusion: 'failure',
    log: `token ${secret}\n1 test failed\n`,
  });
  fake.check(shop, head, { name: 'lint', conclusion: 'success', log: 'fine\n' });
  await refresh(taskId);
  assert.equal(await storeCheckLogs(db, on.codeHosts, silent), 1);
  assert.equal(await storeCheckLogs(db, on.codeHosts, silent), 0, 'once');
  const checks = (await call('GET', `tasks/${taskId}/pull-request/checks`)).body;
  const idOf = (name: string) => checks.find((check: { name: string }) => check.name === name).id;
  const log = await call('GET', `tasks/${taskId}/pull-request/checks/${idOf('tests')}/log`);
  assert.match(log.text, /1 test failed/);
  assert.ok(!log.text.includes(secret));
  const fix = await call('POST', `tasks/${taskId}/pull-request/fix-checks`);
  assert.equal(fix.status, 201);
  assert.match(fix.body.text, /## tests \(failure\).*1 test failed/s);
});

test('a log that GitHub does not have says so, and is not asked for again', async () => {
  const { taskId, head } = await opened();
  fake.check(shop, head, {
    name: 'other',
    conclusion: 'failure',
    title: 'Broken',
    summary: 'It is broken.',
  });
  await refresh(taskId);
  assert.equal(await storeCheckLogs(db, on.codeHosts, silent), 1);
  const [check] = (await call('GET', `tasks/${taskId}/pull-request/checks`)).body;
  const log = await call('GET', `tasks/${taskId}/pull-request/checks/${check.id}/log`);
  assert.match(log.text, /Broken.*It is broken\./s);
  const asked = fake.requests.length;
  assert.equal(await storeCheckLogs(db, on.codeHosts, silent), 0);
  assert.equal(fake.requests.length, asked);
});

test('a push of a person is one; that of the agent is not', async () => {
  const { taskId, head } = await opened();
  const pushed = async () =>
    (
      await db.one<{ pushed: boolean }>(sql`
        select pushed_at is not null as pushed from pull_request where task_id = ${taskId}`)
    ).pushed;
  await refresh(taskId);
  assert.equal(await pushed(), false);
  const branch = branchOf(taskId);
  const moved = await fake.commit(shop, { files: { 'p.txt': 'p\n' }, branch, from: branch });
  assert.notEqual(moved, head);
  await refresh(taskId);
  assert.equal(await pushed(), true);
});

test('deploys are the deployments of the merge commit, and the statuses that are about one', async () => {
  const { taskId, projectId, head } = await opened();
  await refresh(taskId);
  await db.many(sql`
    update check_suite set state = 'completed', conclusion = 'none', ended_at = now(),
           created_at = now() - interval '1 hour'
     where task_id = ${taskId}`);
  const asked = await call('POST', `tasks/${taskId}/merge`, { expected_head_sha: head });
  assert.equal(asked.status, 200, asked.text);
  await on.carryOut();
  const commit = shop.branches.get('18.0') ?? assert.fail();
  const again = async () => {
    await db.many(sql`update merge set looked_at = null where task_id = ${taskId}`);
    await refreshDeploys(db, on.github, silent);
    const { body } = await call('GET', `projects/${projectId}/deploys`);
    return body as { id: string; state: string; stage: string; branch: string }[];
  };
  assert.deepEqual(await again(), []);
  const deployment = fake.deploy(shop, { ref: commit, environment: 'production' });
  fake.deployStatus(shop, deployment, 'in_progress');
  const [running, ...others] = await again();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [running?.state, running?.stage, running?.branch],
    ['running', 'production', '18.0'],
  );
  fake.deployStatus(shop, deployment, 'success');
  fake.status(shop, commit, { context: 'ci/odoo.sh (staging)', state: 'failure' });
  fake.status(shop, commit, { context: 'lint', state: 'success' });
  const all = await again();
  assert.deepEqual(all.map(({ stage, state }) => `${stage} ${state}`).sort(), [
    'production success',
    'staging failed',
  ]);
  assert.ok(
    all.some(({ id }) => id === running?.id),
    'it is the same deploy',
  );
  assert.deepEqual(await again(), all);
  const asking = fake.requests.length;
  assert.equal(await refreshDeploys(db, on.github, silent), 0, 'not again so soon');
  assert.equal(fake.requests.length, asking);
});
